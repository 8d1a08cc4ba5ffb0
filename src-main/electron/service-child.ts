/** The process of the service, as Electron starts it. */
import { utilityProcess } from 'electron'
import { recordOutput } from './last-output.ts'
import type { ServiceArguments } from './service-messages.ts'
import type { ServiceChild } from './supervise-service.ts'

/** Starts the process of the service. @param module its built entry @param log file that its output is added to */
export function startServiceChild(
  options: ServiceArguments,
  { module, log }: { readonly module: string; readonly log: string },
): ServiceChild {
  const child = utilityProcess.fork(module, [JSON.stringify(options)], {
    serviceName: 'Drydock service',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const record = recordOutput(log)
  child.stdout?.on('data', record.onOutput)
  child.stderr?.on('data', record.onOutput)
  return {
    post: (message) => child.postMessage(message),
    kill: () => {
      // `kill` asks; a service that does not answer is ended by the system.
      if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
    },
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) => void child.once('exit', (code) => listener(code, record.line())),
  }
}
