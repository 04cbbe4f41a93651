/** Makes a function that runs another at most once a frame, however often it is called. */
export function eachFrame(run: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      run();
    });
  };
}
