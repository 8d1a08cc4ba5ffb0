import { HELLO, SKETCH } from '../../../contract/catalog.ts'
import { errorLine } from '../../../features/jobs/rules/read-error.ts'
import type { ServiceClient } from '../../client/service-client.ts'
import { defaultDataFolder } from '../../headless/called-as.ts'
import type { CliCommand } from '../cli-command.ts'
import { CliError } from '../cli-error.ts'
import { ensureSketch } from '../ensure-sample.ts'
import { dataFolder, findService, readAccountKey } from '../find-service.ts'
import { askHello, ensureHello } from '../hello-sample.ts'
import { hasBrowser, openPages } from '../open-pages.ts'
import { wholeNumber } from '../option-values.ts'
import { createOutput, duration, type Output, valueText } from '../output.ts'
import { globalOptions } from '../session.ts'
import { MOVE_ASIDE, runService, startOnUsableFolder } from '../start-service.ts'
import type { Surroundings } from '../surroundings.ts'

type StartOptions = {
  readonly port?: number
  readonly window: boolean
  readonly open: boolean
  readonly links: boolean
  readonly moveAside?: true
}

export function addStart(start: CliCommand, surroundings: Surroundings): void {
  start
    .option(
      '--port <port>',
      'use exactly this port; 0 picks a free one (default: the last port used, else 8790, else the next free one)',
      wholeNumber,
    )
    .option(...MOVE_ASIDE)
    .option('--no-window', 'run the service in this terminal instead of a window')
    .option('--no-open', 'do not open the pages in a browser')
    .option('--no-links', 'Linux: do not register this clone for drydock:// links; removes the desktop entry')
    .details(`
The window starts its own service, or uses the one that already runs on the data folder. Without a window, the
command prints a sign-in link and, in a terminal on a machine with a screen, opens the pages in a browser. If a service
is already running, the command calls its sample endpoint and exits.

Examples:
  $ drydock start
  $ drydock start --data ./data --port 0
  $ drydock start --no-window`)
    .action(async ({ port, window, open, links, moveAside }: StartOptions, command: CliCommand) => {
      const { json, data: given } = globalOptions(command)
      const data = dataFolder(given, surroundings)
      const named = data === defaultDataFolder(surroundings) ? undefined : data
      const output = createOutput(surroundings, json === true, named)
      // A script that reads JSON waits for the service, not until somebody closes a window.
      const opened = window && !output.json ? await openWindow(output, { data, port, links }, surroundings) : undefined
      if (opened === 'opened') return
      const { createClient } = await import('../client.ts')
      const options = { data, ...(port === undefined ? {} : { port }) }
      try {
        await runService(() => startOnUsableFolder(options, moveAside, output, surroundings), surroundings, {
          async onUp({ url, data, keyFile, warnings }, signal) {
            if (opened !== undefined) output.line(opened.why)
            for (const warning of warnings) output.note(`warning: ${warning}`)
            const facts = { ready: true, url, data, keyFile }
            if (!output.json) showAddresses(output, facts)
            const client = createClient({ url, key: (await readAccountKey(data)) ?? '' })
            if (!output.json && surroundings.stdout.isTTY === true) await showLink(output, client)
            await showSample(output, client, { facts, signal }, surroundings)
            if (open && !output.json && hasBrowser(surroundings)) await openBrowser(output, client, surroundings)
          },
          onStopping: (text) => output.json || output.note(text),
          onLeft: output.note,
        })
      } catch (error) {
        if (!(error instanceof CliError) || error.body.code !== 'DATA_FOLDER_IN_USE') throw error
        if (opened !== undefined) output.line(opened.why)
        if (!output.json) output.line(error.message)
        const client = createClient(await findService({ data }, surroundings))
        const facts = { ready: true, url: client.url, data, alreadyRunning: true } as const
        await showSample(output, client, { facts, signal: undefined }, surroundings)
      }
    })
}

async function openWindow(
  output: Output,
  options: { readonly data: string; readonly port: number | undefined; readonly links: boolean },
  surroundings: Surroundings,
): Promise<'opened' | { readonly why: string }> {
  const { installedElectron, planWindow, runWindow } = await import('../desktop.ts')
  const plan = planWindow({ ...surroundings, electron: installedElectron(), isRoot: process.getuid?.() === 0 })
  if (plan.kind === 'browser')
    return { why: `No desktop window: ${plan.why}. Use the web pages in a browser instead; they are the same.` }
  if (plan.needsBuild) {
    const { buildStale, PROGRAM, SHELL } = await import('../build.mjs')
    const code = await buildStale([PROGRAM, SHELL], process.execPath)
    if (code !== 0) throw new CliError('WINDOW_FAILED', { why: 'the build failed' })
  }
  const isClone = plan.needsBuild && surroundings.platform === 'linux'
  const env = isClone ? await handleLinks(output, plan, options, surroundings) : surroundings.env
  await runWindow(plan, options, { ...surroundings, env })
  return 'opened'
}

/**
 * A clone has no package that registers drydock:// links.
 * @returns the variables for Electron
 */
async function handleLinks(
  output: Output,
  { program, args }: { readonly program: string; readonly args: readonly string[] },
  { data, links }: { readonly data: string; readonly links: boolean },
  surroundings: Surroundings,
): Promise<Surroundings['env']> {
  const { DESKTOP_ENTRY, entryFile, registerLinks, removeLinks } = await import('../link-handler.ts')
  const file = entryFile(surroundings)
  const command = ['env', `DRYDOCK_NODE=${process.execPath}`, program, ...args, '--data', data]
  if (!links) {
    if (removeLinks(file)) output.line(`drydock:// links no longer open this clone: removed ${file}`)
    return surroundings.env
  }
  if (registerLinks(file, command))
    output.line(`drydock:// links open this clone: wrote ${file} (\`--no-links\` removes it)`)
  return { ...surroundings.env, CHROME_DESKTOP: DESKTOP_ENTRY }
}

const NEXT = [
  `drydock runsync ${HELLO} '{"name": "Ada"}'`,
  `drydock run ${HELLO} '{"do": "nap", "seconds": 3}' --wait`,
  'drydock endpoint create mine --handler my_handler.py',
]

type Facts = { readonly ready: boolean; readonly url: string; readonly data: string; readonly alreadyRunning?: true }

function showAddresses(output: Output, { url, data, keyFile }: Facts & { readonly keyFile: string }): void {
  output.line('Drydock is up. Ctrl+C stops it.')
  output.fields([
    ['address', url],
    ['web pages', `${url}/  (${output.asCalled('drydock open')} signs a browser in)`],
    ['data folder', data],
    ['key file', keyFile],
  ])
}

// Only in a terminal: elsewhere it would end up in a log.
async function showLink(output: Output, client: ServiceClient): Promise<void> {
  const { url } = await client.call('sessionLinkCreate')
  output.fields([['sign in', `${url}  (works once, within a minute)`]])
}

async function openBrowser(output: Output, client: ServiceClient, surroundings: Surroundings): Promise<void> {
  try {
    await openPages(client, surroundings)
    output.line('\nThe pages are open in your browser (`--no-open` turns this off).')
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    if (error.body.code !== 'LINK_FOR_ANYONE') output.note(error.message)
  }
}

type Sample = {
  readonly facts: Facts
  readonly signal: AbortSignal | undefined
}

// `npm start` counts its setup too; otherwise this process is the whole start.
const begunAt = ({ env }: Surroundings) => Number(env.DRYDOCK_BEGUN_AT ?? performance.timeOrigin)

async function withoutPython({ platform }: Surroundings): Promise<string | undefined> {
  const { pythonRow, runToEnd } = await import('../../../features/system/adapters/programs.ts')
  const { state, found, fix } = await pythonRow(platform === 'win32' ? 'python' : 'python3', runToEnd)
  if (state === 'ok') return undefined
  return `The sample ${HELLO} did not run, because it needs Python 3: ${found}. ${fix} The service is running. Endpoints that do not need Python work.`
}

async function showSample(
  output: Output,
  client: ServiceClient,
  { facts, signal }: Sample,
  surroundings: Surroundings,
): Promise<void> {
  try {
    await ensureHello(client)
    await ensureSketch(client)
    const { job, reason, tookMs } = await askHello(client, signal)
    const { status, output: response } = job
    const readyMs = Math.max(0, Math.round(surroundings.now() - begunAt(surroundings)))
    if (output.json) {
      output.document({ ...facts, readyMs, sample: { endpoint: HELLO, status, output: response, tookMs } })
    } else if (status === 'COMPLETED') {
      output.line(
        `${output.paint('green', '✓')} The sample ${HELLO} answered ${valueText(response)} in ${duration(tookMs)}.`,
      )
      if (facts.alreadyRunning === undefined) output.line(`Ready in ${duration(readyMs)}, counted from the command.`)
      output.line('\nTry in another terminal:')
      for (const command of NEXT) output.hint(`  ${command}`)
      output.line(`\nThe endpoint ${SKETCH} runs image workflows without a model, so that you can try them out.`)
    } else {
      const why =
        (job.error === undefined ? undefined : errorLine(job.error)) ?? reason?.text ?? 'it has not answered in time'
      output.note(
        (await withoutPython(surroundings)) ??
          `The sample ${HELLO} is ${status}: ${why.replace(/\.$/, '')}. Check with \`drydock doctor\` and \`drydock logs ${HELLO}\`.`,
      )
    }
  } catch (error) {
    if (signal?.aborted) return
    if (!(error instanceof CliError)) throw error
    output.result({ ...facts, sample: { endpoint: HELLO, ...error.body } }, () =>
      output.note(`The sample ${HELLO} did not answer: ${error.message} Check with \`drydock doctor\`.`),
    )
  }
}
