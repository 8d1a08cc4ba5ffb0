/** Functions over large bodies, results and files, called in a thread because they would block the event loop. */
export type Problem = { readonly problem: string }

export type InThread<Readers extends object> = {
  readonly [Name in keyof Readers]: Readers[Name] extends (...given: infer Given) => infer Read
    ? (...given: Given) => Promise<Read | Problem>
    : never
}
