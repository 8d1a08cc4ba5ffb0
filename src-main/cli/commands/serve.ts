import { isIP } from 'node:net'
import { type Command, InvalidArgumentError } from 'commander'
import { dataFolder } from '../data-folder.ts'
import { wholeNumber } from '../job-request.ts'
import { globalOptions, outputOf } from '../session.ts'
import { runService, startService } from '../start-service.ts'
import type { Surroundings } from '../surroundings.ts'

type ServeOptions = {
  readonly port?: number
  readonly listen?: string
  readonly allowHost?: readonly string[]
  readonly stopGrace?: number
  readonly logLevel?: string
}

/** `drydock serve`: run the service until a signal stops it. */
export function addServe(program: Command, surroundings: Surroundings): void {
  program
    .command('serve')
    .description('run the service until Ctrl+C')
    .option('--port <port>', 'exactly this port; 0 takes a free one (default: 8790, or the next free one)', wholeNumber)
    .option('--listen <address>', 'answer on this IP address too, 0.0.0.0 for all: unencrypted (default: loopback)', ip)
    .option('--allow-host <host[:port]>', 'answer to this Host too, as of a tunnel; may be repeated', hosts)
    .option('--stop-grace <ms>', 'time that running jobs have to end when the service stops', wholeNumber)
    .option('--log-level <level>', 'least level that is logged: debug, info, warn, error or silent')
    .addHelpText(
      'after',
      `
With --json one line is printed as soon as the service answers:
  {"ready":true,"url":"http://127.0.0.1:8790","data":"...","keyFile":"..."}

To use the service from another machine, let a tunnel of that machine stand on the same port:
  $ ssh -N -L 8790:127.0.0.1:8790 user@machine
On another port the service must know the address that clients call: --allow-host 127.0.0.1:9000. With --listen it
answers on the network itself: keys and data are then read by whoever listens on the way.

Examples:
  $ drydock serve
  $ drydock serve --data ./data --port 9000 --json`,
    )
    .action(async ({ port, listen, allowHost, stopGrace, logLevel }: ServeOptions, command: Command) => {
      const output = outputOf(command, surroundings)
      const options = {
        data: dataFolder(globalOptions(command).data, surroundings),
        ...(port === undefined ? {} : { port }),
        ...(listen === undefined ? {} : { listen }),
        ...(allowHost === undefined ? {} : { allowHosts: allowHost }),
        ...(stopGrace === undefined ? {} : { stopGraceMs: stopGrace }),
        ...(logLevel === undefined ? {} : { logLevel }),
      }
      await runService(() => startService(options), surroundings, {
        onUp({ url, data, keyFile }) {
          if (listen !== undefined && !isLoopback(listen)) output.note(openTo(listen, new URL(url).port))
          if (output.json) {
            output.document({ ready: true, url, data, keyFile })
            return
          }
          output.line('Drydock is up. Ctrl+C stops it.')
          output.fields([
            ['address', url],
            ['data folder', data],
            ['key file', keyFile],
          ])
        },
        onStopping: () => output.json || output.note('stopping ...'),
      })
    })
}

function ip(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('It must be an IP address, like 192.168.1.5 or 0.0.0.0.')
  return text
}

function hosts(text: string, before: readonly string[] = []): readonly string[] {
  if (!/^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text))
    throw new InvalidArgumentError('It must be a host, like box or box.local:9000, without http://.')
  return [...before, text]
}

const isLoopback = (address: string) => address === '::1' || address.startsWith('127.')

function openTo(address: string, port: string): string {
  return `warning: the service answers on ${address}, port ${port}, and not only on this machine. Keys and data go over the network unencrypted, and whoever reaches the port can try keys. Better leave --listen out, and let the other machine open a tunnel: ssh -N -L ${port}:127.0.0.1:${port} user@this-machine`
}
