/** Goes on with a value when it is there, which may be at once. */
export function after<T, Result>(value: T | Promise<T>, goOn: (value: T) => Result): Result | Promise<Result> {
  return isPromise(value) ? value.then(goOn) : goOn(value);
}

/** Whether something is only there later. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && "then" in value;
}
