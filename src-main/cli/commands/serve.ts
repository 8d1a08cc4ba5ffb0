import type { Command } from 'commander'
import { dataFolder } from '../data-folder.ts'
import { wholeNumber } from '../job-request.ts'
import { globalOptions, outputOf } from '../session.ts'
import { runService, startService } from '../start-service.ts'
import type { Surroundings } from '../surroundings.ts'

type ServeOptions = { readonly port?: number; readonly stopGrace?: number; readonly logLevel?: string }

/** `drydock serve`: run the service until a signal stops it. */
export function addServe(program: Command, surroundings: Surroundings): void {
  program
    .command('serve')
    .description('run the service until Ctrl+C')
    .option('--port <port>', 'exactly this port; 0 takes a free one (default: 8790, or the next free one)', wholeNumber)
    .option('--stop-grace <ms>', 'time that running jobs have to end when the service stops', wholeNumber)
    .option('--log-level <level>', 'least level that is logged: debug, info, warn, error or silent')
    .addHelpText(
      'after',
      `
With --json one line is printed as soon as the service answers:
  {"ready":true,"url":"http://127.0.0.1:8790","data":"...","keyFile":"..."}

Examples:
  $ drydock serve
  $ drydock serve --data ./data --port 9000 --json`,
    )
    .action(async ({ port, stopGrace, logLevel }: ServeOptions, command: Command) => {
      const output = outputOf(command, surroundings)
      const options = {
        data: dataFolder(globalOptions(command).data, surroundings),
        ...(port === undefined ? {} : { port }),
        ...(stopGrace === undefined ? {} : { stopGraceMs: stopGrace }),
        ...(logLevel === undefined ? {} : { logLevel }),
      }
      await runService(() => startService(options), surroundings, {
        onUp({ url, data, keyFile }) {
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
