import { AsyncLocalStorage } from 'node:async_hooks'

/** Id of the current job, followed through promises, timers and callbacks. */
export const currentJob: AsyncLocalStorage<string> = new AsyncLocalStorage()
