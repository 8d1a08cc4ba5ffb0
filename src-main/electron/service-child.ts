/** The process of the service, as Electron starts it. */
import { utilityProcess } from 'electron'
import { keepLastWords } from './last-words.ts'
import type { ServiceArguments } from './service-messages.ts'
import type { ServiceChild } from './supervise-service.ts'

/** Starts it. @param module its built entry @param log file that its output is added to */
export function startServiceChild(
  options: ServiceArguments,
  { module, log }: { readonly module: string; readonly log: string },
): ServiceChild {
  const child = utilityProcess.fork(module, [JSON.stringify(options)], {
    serviceName: 'Drydock service',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const words = keepLastWords(log)
  child.stdout?.on('data', words.hear)
  child.stderr?.on('data', words.hear)
  return {
    post: (message) => child.postMessage(message),
    kill: () => {
      // `kill` asks; a service that does not answer is ended by the system.
      if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
    },
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) => void child.once('exit', (code) => listener(code, words.line())),
  }
}
