import { resolve } from 'node:path'
import { Option } from 'commander'
import { confirmDeletion, noteBroken, YES } from '../../../app/cli/ask.ts'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError, usageError } from '../../../app/cli/cli-error.ts'
import { following } from '../../../app/cli/interrupt.ts'
import { wholeNumber } from '../../../app/cli/option-values.ts'
import type { Output } from '../../../app/cli/output.ts'
import { openSession, type Session } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { type MachineConnection, type MachineView, machineCreate } from '../../../contract/machines.ts'
import type { DoctorRow } from '../../../contract/system.ts'
import { counted, sizeText, withFullStop } from '../../../lib/text.ts'
import { named } from '../../endpoints/rules/dependents.ts'
import { connectionText } from '../rules/connection-text.ts'
import { leftoversText } from '../rules/left-behind.ts'

type AddOptions = {
  readonly ssh?: string
  readonly port?: number
  readonly context?: string
  readonly docker?: string
  readonly tls?: string
  readonly swarm?: true
}

const ASK_MS = 300

export function addMachine(machine: CliCommand, surroundings: Surroundings): void {
  machine
    .command('add')
    .description('add a machine with Docker, and test it step by step')
    .argument('<name>', 'name for --on')
    .addOption(new Option('--ssh <user@host>', 'connect over SSH, with your own configuration').conflicts('context'))
    .addOption(new Option('--port <port>', 'SSH port').argParser(wholeNumber))
    .addOption(new Option('--context <name>', 'connect through this Docker context').conflicts('docker'))
    .addOption(
      new Option('--docker <url>', 'connect to its engine at this address, like tcp://host:2376').conflicts('ssh'),
    )
    .option('--tls <folder>', 'folder with ca.pem, cert.pem and key.pem for --docker')
    .option('--swarm', "its engine manages a swarm; workers run on the swarm's nodes")
    .details(`
The machine needs Docker, and your user there must be allowed to use it. Nothing is installed there.

Examples:
  $ drydock machine add gpu-box --ssh ada@gpu-box
  $ drydock machine test gpu-box --job               # the first job there
  $ drydock endpoint create --handler handler.py --on gpu-box`)
    .action(async (name: string, options: AddOptions, command: CliCommand) => {
      const body = machineCreate.safeParse({
        name,
        way: connectionOf(name, options, surroundings),
        swarm: options.swarm === true,
      })
      if (!body.success) throw usageError(body.error.issues.map(({ message }) => message).join('; '))
      const session = await openSession(command, surroundings)
      await session.client.call('machineAdd', { body: body.data })
      if (!session.output.json) session.output.line(`machine ${name} added`)
      await followTest(session, surroundings, name)
    })

  machine
    .command('list', { isDefault: true })
    .description('list machines with their connection, hardware and workers')
    .examples('drydock machine list', 'drydock machine list --json')
    .onSession(async ({ client, output }) => {
      const response = await client.call('machineList')
      output.list(
        response,
        'All workers run on this machine. Add another one with: drydock machine add NAME --ssh user@host',
        ['NAME', 'REACHED', 'STATE', 'HAS', 'WORKERS'],
        response.machines.map(rowOf),
      )
    })

  machine
    .command('test')
    .description('check step by step whether a machine can run workers')
    .argument('<name>', 'name of the machine')
    .option('--job', 'also create the endpoint hello-NAME there and run a job on it; the endpoint stays')
    .examples('drydock machine test gpu-box', 'drydock machine test gpu-box --job')
    .onSession(async (session, name: string, { job }: { job?: true }) => {
      await session.client.call('machineTest', { path: { machine: name } })
      await followTest(session, surroundings, name, job !== true)
      if (job === true) {
        const { runFirstJob } = await import('./first-remote-job.ts')
        await runFirstJob(session, surroundings, name)
      }
    })

  machine
    .command('remove')
    .description('remove a machine and end its workers; endpoints that name it wait')
    .argument('<name>', 'name of the machine')
    .option(...YES)
    .examples('drydock machine remove gpu-box')
    .onSession(async ({ client, output }, name: string, { yes }: { yes?: true }) => {
      const path = { machine: name }
      const { workers, endpoints } = await client.call('machineGet', { path })
      const what = `machine ${name}`
      const breaks = endpoints.length === 0 ? undefined : named('endpoint', endpoints).join(', ')
      const question = `Remove ${what} and end ${counted(workers.length, 'worker')} there?`
      await confirmDeletion({ yes, what, breaks, question }, output, surroundings)
      const response = await client.call('machineRemove', { path })
      output.result(response, `machine ${name} removed`)
      noteBroken(breaks, output)
      if (response.left !== undefined) output.note(`warning: ${leftoversText(response.left)}`)
    })
}

function connectionOf(
  name: string,
  { ssh, port, context, docker, tls }: AddOptions,
  { cwd }: Surroundings,
): MachineConnection {
  if (ssh !== undefined) return { kind: 'ssh', to: ssh, ...(port === undefined ? {} : { port }) }
  if (context !== undefined) return { kind: 'context', name: context }
  if (docker !== undefined)
    return { kind: 'tcp', url: docker, ...(tls === undefined ? {} : { tlsFolder: resolve(cwd, tls) }) }
  throw usageError(`Choose how to connect: drydock machine add ${name} --ssh user@host`)
}

async function followTest(session: Session, surroundings: Surroundings, name: string, isLast = true): Promise<void> {
  const continues = () => `The test of ${name} continues; \`drydock machine list\` shows its result.`
  await following(continues, { output: session.output, surroundings }, () => showTest(session, name, isLast))
}

async function showTest({ client, output }: Session, name: string, isLast: boolean): Promise<void> {
  let shown = 0
  for (;;) {
    const machine = await client.call('machineGet', { path: { machine: name } })
    const { steps, isRunning } = machine.test
    if (!output.json) for (const step of steps.slice(shown)) showStep(output, step)
    shown = steps.length
    if (!isRunning) {
      if (output.json && isLast) output.document(machine)
      const failed = steps.find(({ state }) => state === 'failed')
      if (failed !== undefined) throw notUsable(name, failed)
      return
    }
    await new Promise((done) => setTimeout(done, ASK_MS))
  }
}

function notUsable(machine: string, { check, found }: DoctorRow): CliError {
  return new CliError('MACHINE_UNUSABLE', { machine, why: withFullStop(`${check}: ${found}`) })
}

const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red' } as const

function showStep(output: Output, { check, state, found, fix }: DoctorRow): void {
  output.line(`${output.paint(COLOURS[state], state.padEnd(7))}  ${check}: ${found}`)
  if (fix !== undefined) output.hint(`         ${fix}`)
}

function rowOf({ name, way, state, reason, facts, workers }: MachineView): string[] {
  const cards = facts === undefined || facts.cards.length === 0 ? '' : `, ${counted(facts.cards.length, 'GPU')}`
  const has = facts === undefined ? '' : `${facts.cpus} CPUs, ${sizeText(facts.memoryBytes)}${cards}`
  return [name, connectionText(way), reason === undefined ? state : `${state}: ${reason}`, has, String(workers.length)]
}
