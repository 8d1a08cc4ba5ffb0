/**
 * What the types of graphql-yoga name of @whatwg-node/fetch. tsconfig.json puts it in place of that package's own types,
 * which would bring the types of browsers into all code here.
 */
export declare const createFetch: () => typeof globalThis
