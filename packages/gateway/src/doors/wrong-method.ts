import type { FastifyInstance } from "fastify";

/** Finds the methods that an address takes; none if there is nothing at it. */
export type MethodsAt = (path: string) => readonly string[];

/** Follows what is added to a server from now on, to tell an address that is wrong from a method that is. */
export function followMethods(app: FastifyInstance): MethodsAt {
  const routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook("onRoute", ({ url, method }) => {
    // A route for every address, as there is one for the questions of foreign pages, says nothing of any of them.
    if (url !== "*") routes.push({ pattern: toPattern(url), methods: [method].flat() });
  });
  return (path) => {
    const fitting = routes.filter(({ pattern }) => pattern.test(path));
    return [...new Set(fitting.flatMap(({ methods }) => methods))].toSorted();
  };
}

/** Routes have names for one part of an address, and a star for all that is left of it. */
function toPattern(url: string): RegExp {
  const parts = url.split(/(:\w+|\*)/u).map((part) => {
    if (part === "*") return ".*";
    return part.startsWith(":") ? "[^/]+" : part.replaceAll(/[.+?^${}()|[\]\\]/gu, String.raw`\$&`);
  });
  return new RegExp(`^${parts.join("")}$`, "u");
}
