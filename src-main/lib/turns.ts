export type InTurn = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

export function createTurns(): { readonly inTurn: InTurn; readonly idle: () => Promise<void> } {
  const last = new Map<string, Promise<unknown>>()
  return {
    inTurn(name, work) {
      const result = (last.get(name) ?? Promise.resolve()).then(work)
      // Successors wait for the end in any case; only the caller gets the error.
      const ended = result
        .catch(() => undefined)
        .then(() => {
          if (last.get(name) === ended) last.delete(name)
        })
      last.set(name, ended)
      return result
    },
    async idle() {
      while (last.size > 0) await Promise.all(last.values())
    },
  }
}
