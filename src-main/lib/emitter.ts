/** Calls listeners in the order in which they were added. */
export type Emitter<T extends readonly unknown[]> = {
  readonly on: (listener: (...values: T) => void) => () => void
  /** A listener that is removed meanwhile is not called, and one that is added waits for the next time. */
  readonly emit: (...values: T) => void
  readonly isEmpty: () => boolean
}

export function createEmitter<T extends readonly unknown[] = []>(): Emitter<T> {
  const entries = new Set<{ readonly listener: (...values: T) => void }>()
  return {
    on(listener) {
      const entry = { listener }
      entries.add(entry)
      return () => void entries.delete(entry)
    },
    emit(...values) {
      for (const entry of [...entries]) if (entries.has(entry)) entry.listener(...values)
    },
    isEmpty: () => entries.size === 0,
  }
}

export function createKeyedEmitter<T extends readonly unknown[] = []>() {
  const emitters = new Map<string, Emitter<T>>()
  return {
    on(key: string, listener: (...values: T) => void): () => void {
      const emitter = emitters.get(key) ?? createEmitter<T>()
      emitters.set(key, emitter)
      const remove = emitter.on(listener)
      return () => {
        remove()
        if (emitter.isEmpty() && emitters.get(key) === emitter) emitters.delete(key)
      }
    },
    emit: (key: string, ...values: T): void => emitters.get(key)?.emit(...values),
    emitAll(...values: T): void {
      for (const emitter of [...emitters.values()]) emitter.emit(...values)
    },
    isEmpty: (): boolean => emitters.size === 0,
  }
}
