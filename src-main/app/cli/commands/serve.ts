import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { InvalidArgumentError } from 'commander'
import { SKETCH } from '../../../contract/catalog.ts'
import type { UserAddress } from '../../../http/server/listeners.ts'
import { errorCode } from '../../../lib/error-code.ts'
import { present } from '../../../lib/json/plain.ts'
import { isLoopback, portOfService } from '../../../lib/own-addresses.ts'
import type { CliCommand } from '../cli-command.ts'
import { usageError } from '../cli-error.ts'
import { ensureSketch } from '../ensure-sample.ts'
import { dataFolder, readAccountKey } from '../find-service.ts'
import { spanIn, wholeNumber } from '../option-values.ts'
import type { Output } from '../output.ts'
import { globalOptions, outputOf } from '../session.ts'
import { endingWithInput, MOVE_ASIDE, runService, startOnUsableFolder } from '../start-service.ts'
import type { Surroundings } from '../surroundings.ts'

type ServeOptions = {
  readonly port?: number
  readonly listen?: string
  readonly allowHost?: readonly string[]
  readonly tls?: true
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly stopGrace?: number
  readonly logLevel?: string
  readonly tracesTo?: string
  readonly endWithInput?: true
  readonly sample?: true
  readonly moveAside?: true
}

export function addServe(serve: CliCommand, surroundings: Surroundings): void {
  serve
    .option(
      '--port <port>',
      'use exactly this port; 0 picks a free one (default: the last port used, else 8790, else the next free one)',
      wholeNumber,
    )
    .option(
      '--listen <address>',
      'also listen on this IP address, 0.0.0.0 for all; see --tls (default: loopback only)',
      ip,
    )
    .option('--tls', "with --listen: serve only https there, with the service's own certificate")
    .option('--tls-cert <file>', 'with --listen: serve only https there, with this certificate (PEM)')
    .option('--tls-key <file>', 'private key of that certificate (PEM)')
    .option('--allow-host <host[:port]>', 'also accept this Host, like that of a tunnel; may be repeated', hosts)
    .option('--stop-grace <ms>', 'time for running jobs to end when the service stops, in ms or like 10s', spanIn('ms'))
    .option('--log-level <level>', 'lowest level to log: debug, info, warn, error or silent')
    .option(
      '--traces-to <url>',
      'export traces by OTLP over HTTP to this address (OTEL_EXPORTER_OTLP_ENDPOINT)',
      tracesTo,
    )
    .option(...MOVE_ASIDE)
    .option('--sample', `create the sample endpoint ${SKETCH}, which runs image workflows`)
    .option('--end-with-input', 'stop when standard input closes, for programs that start a service')
    .details(`
With --json, one line is printed as soon as the service is ready:
  {"ready":true,"url":"http://127.0.0.1:8790","data":"...","keyFile":"..."}

To use the service from another machine, open a tunnel there on the same port:
  $ ssh -N -L 8790:127.0.0.1:8790 user@machine
For another port, name the address that clients use: --allow-host 127.0.0.1:9000. With --listen and --tls the service
is on the network itself; it prints the fingerprint of its certificate, which \`drydock login\` asks others to compare.
Without --tls others on it can read keys and data. Give people keys of their own with \`drydock key add\`.

Examples:
  $ drydock serve
  $ drydock serve --data ./data --port 9000 --json
  $ drydock serve --listen 0.0.0.0 --tls`)
    .action(
      async (
        {
          port,
          listen,
          allowHost,
          stopGrace,
          logLevel,
          tracesTo: traces,
          endWithInput,
          sample,
          moveAside,
          ...tlsOptions
        }: ServeOptions,
        command: CliCommand,
      ) => {
        const tls = await tlsOf(listen, tlsOptions)
        const output = outputOf(command, surroundings)
        const options = {
          data: dataFolder(globalOptions(command).data, surroundings),
          ...present({ port, listen, allowHosts: allowHost, tls, stopGraceMs: stopGrace, logLevel, tracesTo: traces }),
        }
        const within = endWithInput === true ? endingWithInput(surroundings) : surroundings
        const start = () => startOnUsableFolder(options, moveAside, output, surroundings)
        await runService(start, within, {
          async onUp({ url, data, keyFile, warnings, fingerprint }) {
            if (sample === true) await addSample(url, data, output)
            for (const warning of warnings) output.note(`warning: ${warning}`)
            if (listen !== undefined && !isLoopback(listen) && tls === undefined)
              output.note(openTo(listen, portOfService(url)))
            if (output.json)
              return output.document({ ready: true, url, data, keyFile, ...(fingerprint && { fingerprint }) })
            output.line('Drydock is up. Ctrl+C stops it.')
            output.fields([
              ['address', url],
              ['data folder', data],
              ['key file', keyFile],
              ...(fingerprint === undefined ? [] : [['fingerprint', fingerprint] as const]),
            ])
          },
          onStopping: (text) => output.json || output.note(text),
          onLeft: output.note,
        })
      },
    )
}

// A failure only prints a warning, because the service works without the sample.
async function addSample(url: string, data: string, output: Output): Promise<void> {
  try {
    const { createClient } = await import('../client.ts')
    await ensureSketch(createClient({ url, key: (await readAccountKey(data)) ?? '' }))
  } catch (error) {
    output.note(`warning: the sample endpoint ${SKETCH} was not created: ${(error as Error).message}`)
  }
}

function tracesTo(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError('It must be an http address, like http://127.0.0.1:4318/v1/traces.')
  return text
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

async function tlsOf(
  listen: string | undefined,
  { tls, tlsCert, tlsKey }: Pick<ServeOptions, 'tls' | 'tlsCert' | 'tlsKey'>,
): Promise<UserAddress['tls']> {
  if (tls === undefined && tlsCert === undefined && tlsKey === undefined) return undefined
  if (listen === undefined) throw usageError('--tls is for a service on the network: name its address with --listen.')
  if (tlsCert === undefined && tlsKey === undefined) return 'own'
  if (tlsCert === undefined || tlsKey === undefined) throw usageError('Give both --tls-cert and --tls-key.')
  const [cert, key] = await Promise.all([tlsCert, tlsKey].map(readPem))
  return { cert: cert ?? '', key: key ?? '' }
}

function readPem(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw usageError(`${file} cannot be read (${errorCode(cause)}).`)
  })
}

function openTo(address: string, port: number): string {
  return `warning: the service listens on ${address}, port ${port}, and not only on this machine. Keys and data go over the network unencrypted, and anyone who reaches the port can try keys. It is safer to omit --listen and open a tunnel from the other machine: ssh -N -L ${port}:127.0.0.1:${port} user@this-machine`
}
