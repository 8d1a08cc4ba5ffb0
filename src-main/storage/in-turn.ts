/** Does what is asked for one name one after the other, and what is asked for others beside it. */
export type InTurn = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

/** Makes the turns of names; `idle` waits until nothing is under way. */
export function createTurns(): { readonly inTurn: InTurn; readonly idle: () => Promise<void> } {
  const last = new Map<string, Promise<unknown>>()
  return {
    inTurn(name, work) {
      const result = (last.get(name) ?? Promise.resolve()).then(work)
      // Whoever comes next waits for the end, however it ends; the caller hears of the error.
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
