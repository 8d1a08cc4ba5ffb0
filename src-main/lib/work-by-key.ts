export type Work<View> = {
  readonly view: () => View
  readonly over: Promise<void>
}

type Begun<View> = {
  readonly view: View
  readonly run: (change: (to: (view: View) => View, isUrgent?: boolean) => void, signal: AbortSignal) => Promise<void>
}

export function createWorkByKey<View>(onChange: (isUrgent: boolean) => void) {
  const newest = new Map<string, Work<View> & { readonly cancel: () => void; isOver: boolean }>()

  async function cancel(key: string): Promise<void> {
    const work = newest.get(key)
    work?.cancel()
    await work?.over
  }

  return {
    begin(key: string, begun: Begun<View>): Work<View> {
      const cancelled = new AbortController()
      let { view } = begun
      const over = begun
        .run((to, isUrgent = true) => {
          view = to(view)
          onChange(isUrgent)
        }, cancelled.signal)
        .finally(() => {
          work.isOver = true
        })
      const work = {
        view: () => view,
        over,
        isOver: false,
        cancel: () => cancelled.abort(new Error('the work was cancelled')),
      }
      newest.set(key, work)
      onChange(true)
      return work
    },
    isRunning: (key: string): boolean => newest.get(key)?.isOver === false,
    newest: (key: string): Work<View> | undefined => newest.get(key),
    cancel,
    async forget(key: string): Promise<void> {
      await cancel(key)
      newest.delete(key)
    },
    cancelAll: async (): Promise<void> => void (await Promise.all([...newest.keys()].map(cancel))),
  }
}
