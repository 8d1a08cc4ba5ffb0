import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError } from '../../../app/cli/cli-error.ts'
import { type Output, size } from '../../../app/cli/output.ts'
import { expectEndpoint, followToEnd, openSession } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../app/client/service-client.ts'
import type { UsageReading } from '../../../contract/endpoint.ts'
import { limit } from '../../../contract/limits.ts'
import { THIS_MACHINE } from '../../../contract/machines.ts'
import { type ReplacementOrder, shellOutput } from '../../../contract/workers.ts'
import { ago } from '../../../lib/text.ts'

// Length of a short container id in the docker command.
const SHORT_ID = 12

const NO_WORKERS = 'There are no workers. They start when jobs arrive.'

export function addWorkers(workers: CliCommand, surroundings: Surroundings): void {
  workers
    .command('list', { isDefault: true })
    .description('list workers with their state and the reason for it')
    .option('--endpoint <endpoint>', 'only workers of this endpoint')
    .examples('drydock workers', 'drydock workers list --endpoint hello --json')
    .onSession(async ({ client, output }, { endpoint }: { endpoint?: string }) => {
      const response = await client.call('workerList', { query: { endpoint } })
      if (response.workers.length === 0) await expectEndpoint(client, endpoint)
      const inContainers = response.workers.some(({ container }) => container !== undefined)
      const forBatches = response.workers.some(({ pool }) => pool === 'batch')
      const onMachines = response.workers.some(({ machine }) => machine !== undefined)
      output.list(
        response,
        NO_WORKERS,
        [
          ...['WORKER', 'ENDPOINT', 'STATE', 'STARTED', 'JOBS', 'DONE'],
          ...(forBatches ? ['FOR'] : []),
          ...(onMachines ? ['MACHINE'] : []),
          ...(inContainers ? ['CONTAINER'] : []),
          'REASON',
        ],
        response.workers.map((worker) => [
          worker.id,
          worker.endpointId,
          worker.state,
          ago(worker.startedAt, surroundings.now()),
          String(worker.jobs.length),
          String(worker.jobsDone),
          ...(forBatches ? [worker.pool === 'batch' ? 'batches' : 'other jobs'] : []),
          ...(onMachines ? [worker.machine ?? THIS_MACHINE] : []),
          ...(inContainers ? [worker.container?.slice(0, SHORT_ID) ?? ''] : []),
          output.asCalled(worker.reason ?? ''),
        ]),
      )
    })

  workers
    .command('usage')
    .description('show CPU and memory of the workers, and for containers also network and GPUs')
    .option('--endpoint <endpoint>', 'only workers of this endpoint')
    .option('-f, --follow', 'refresh every 2 s')
    .examples('drydock workers usage', 'drydock workers usage -f --endpoint hello')
    .onSession(async ({ client, output }, { endpoint, follow }: { endpoint?: string; follow?: true }) => {
      const now = await client.call('workerUsage', { query: { endpoint } })
      if (now.workers.length === 0) await expectEndpoint(client, endpoint)
      if (follow !== true) {
        showUsage(output, now)
        return
      }
      const { usageReading } = await import('../../../contract/endpoint.ts')
      for await (const { event, data } of followToEnd(client, 'workerUsage', () => ({
        query: { endpoint, follow: 'true' },
      }))) {
        if (event === 'usage') showUsage(output, usageReading.parse(JSON.parse(data)))
      }
    })

  workers
    .command('replace')
    .description('replace a worker, or all workers of an endpoint; the old ones finish their jobs first')
    .argument('[worker]', 'id of the worker')
    .option('--endpoint <endpoint>', 'all workers of this endpoint, one after the other')
    .examples('drydock workers replace w1a2b3c4d5e6f7', 'drydock workers replace --endpoint hello')
    .action(async (workerId: string | undefined, { endpoint }: { endpoint?: string }, command: CliCommand) => {
      if ((workerId === undefined) === (endpoint === undefined))
        throw new CliError('USAGE', { why: 'Name either a worker or --endpoint.' })
      const { client, output } = await openSession(command, surroundings)
      const response =
        endpoint === undefined
          ? await client.call('workerReplace', { path: { workerId: workerId ?? '' } })
          : await client.call('endpointReplaceWorkers', { path: { endpointId: endpoint } })
      if (output.json) output.document(response)
      else if ('order' in response) output.line(replacementText(workerId ?? '', response.order))
      else output.line(`${response.workers.length} workers of ${endpoint} are being replaced, one after the other`)
    })

  workers
    .command('shell')
    .description('open a shell in the container of a worker; all keystrokes go to it until it exits')
    .argument('<worker>', 'id of the worker')
    .examples('drydock workers shell w1a2b3c4d5e6f7', 'echo "nvidia-smi" | drydock workers shell w1a2b3c4d5e6f7')
    .onSession(async ({ client, output }, workerId: string) => {
      if (output.json) throw new CliError('USAGE', { why: 'A shell has no JSON output: omit --json.' })
      surroundings.stderr.write(`\n${await runWorkerShell({ client, surroundings }, workerId)}\n`)
    })

  workers
    .command('stop')
    .description('stop a worker; its jobs get the grace time to finish')
    .argument('<worker>', 'id of the worker')
    .examples('drydock workers stop w1a2b3c4d5e6f7')
    .onSession(async ({ client, output }, workerId: string) => {
      const response = await client.call('workerStop', { path: { workerId } })
      output.result(response, `worker ${workerId} is stopping`)
    })
}

function replacementText(workerId: string, order: ReplacementOrder): string {
  return order === 'new first'
    ? `a new worker starts; ${workerId} stops when the new one is ready and its own jobs have ended`
    : `there is no room for another worker: ${workerId} stops when its jobs have ended, then a new one starts`
}

function showUsage(output: Output, reading: UsageReading): void {
  output.list(
    reading,
    NO_WORKERS,
    ['WORKER', 'ENDPOINT', 'CPU', 'MEMORY', 'LIMIT', 'RECEIVED', 'SENT', 'GPU', 'GPU MEMORY'],
    reading.workers.map((used) => [
      used.workerId,
      used.endpointId,
      percent(used.cpuPercent),
      bytes(used.memoryBytes),
      bytes(used.memoryLimitBytes),
      bytes(used.networkReceivedBytes),
      bytes(used.networkSentBytes),
      percent(used.gpuPercent),
      bytes(used.gpuMemoryBytes),
    ]),
  )
}

const percent = (value: number | undefined) => (value === undefined ? '' : `${value} %`)
const bytes = (value: number | undefined) => (value === undefined ? '' : size(value))

// Every key reaches the shell, even Ctrl+C. Piped input is typed, and its end ends the shell.
const NO_TERMINAL = { columns: 80, rows: 24 }
const END_OF_INPUT = '\u0004'
const AGAIN_AFTER_MS = 200
const END_AGAIN_AFTER_MS = 1000

async function runWorkerShell(
  { client, surroundings }: { readonly client: ServiceClient; readonly surroundings: Surroundings },
  workerId: string,
): Promise<string> {
  const { stdin, stdout } = surroundings
  const size = () => ({
    columns: stdout.columns || NO_TERMINAL.columns,
    rows: stdout.rows || NO_TERMINAL.rows,
  })
  const { shellId } = await client.call('shellOpen', { path: { workerId }, body: size() })
  const path = { shellId }
  const resized = () => void client.call('shellResize', { path, body: size() }).catch(() => undefined)
  const isTerminal = stdin.isTTY === true
  if (isTerminal) stdin.setRawMode?.(true)
  stdout.on?.('resize', resized)
  const shown = new AbortController()
  // Input fails only after the shell has ended; the shell's output says why.
  type(client, surroundings, shellId, shown.signal).catch(() => undefined)
  try {
    return await show(client, surroundings, shellId)
  } finally {
    shown.abort()
    stdout.off?.('resize', resized)
    if (isTerminal) stdin.setRawMode?.(false)
    stdin.destroy?.()
  }
}

async function show(client: ServiceClient, { stdout, pause }: Surroundings, shellId: string): Promise<string> {
  const decoder = new TextDecoder()
  let seen = 0
  for (;;) {
    const query = { after: seen, follow: 'true' } as const
    for await (const { event, data } of client.follow('shellOutput', { path: { shellId }, query })) {
      if (event !== 'output') continue
      const piece = shellOutput.parse(JSON.parse(data))
      seen = piece.end
      stdout.write(decoder.decode(Buffer.from(piece.data, 'base64'), { stream: true }))
      if (piece.ended !== undefined) return piece.ended
    }
    await pause(AGAIN_AFTER_MS)
  }
}

// One call at a time, to keep the order of the input.
async function type(
  client: ServiceClient,
  { stdin, pause }: Surroundings,
  shellId: string,
  shown: AbortSignal,
): Promise<void> {
  const send = (text: string) => client.call('shellInput', { path: { shellId }, body: { text } })
  const decoder = new TextDecoder()
  const most = limit('shellInputCharacters')
  for await (const chunk of stdin) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    for (let at = 0; at < text.length; at += most) await send(text.slice(at, at + most))
  }
  // Sent again, as a terminal drops end-of-input if its mode changes before the read.
  while (stdin.isTTY !== true) {
    await send(END_OF_INPUT)
    await pause(END_AGAIN_AFTER_MS, shown)
  }
}
