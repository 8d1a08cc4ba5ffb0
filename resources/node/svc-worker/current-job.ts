/** Which job a piece of code runs for. */
import { AsyncLocalStorage } from 'node:async_hooks'

/** Id of the job whose code runs; follows it through promises, timers and callbacks. */
export const currentJob: AsyncLocalStorage<string> = new AsyncLocalStorage()
