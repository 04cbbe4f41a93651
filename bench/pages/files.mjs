// @ts-check
export async function writePages() {
  return 0;
}
export async function checkPages() {
  return 0;
}
