/** `drydock deploy --preview`: the app of this folder on its own service, which follows every save until Ctrl+C. */

import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { createAppFolderWriter } from '../../../../app/app-builder/create-app-builder.ts'
import { watchApp } from '../../../../app/app-builder/watch-app.ts'
import { usageError } from '../../../../app/cli/cli-error.ts'
import { createClient } from '../../../../app/cli/client.ts'
import { dataFolder, readAccountKey } from '../../../../app/cli/find-service.ts'
import type { Output } from '../../../../app/cli/output.ts'
import { globalOptions, outputOf } from '../../../../app/cli/session.ts'
import { endingWithInput, runService, startService } from '../../../../app/cli/start-service.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import type { RunningServer } from '../../../../app/headless/main.ts'
import { type RunsOn, variableName } from '../../../../contract/app.ts'
import { type BuildEvent, BuildFailure, type BuiltApp } from '../../../../contract/build.ts'
import type { MachineCreate } from '../../../../contract/machines.ts'
import { parseEnvFile } from '../../../../lib/env-file.ts'
import { errorCode } from '../../../../lib/error-code.ts'
import type { AppTarget } from '../../rules/app-environment.ts'
import { type BuildOptions, builtApp, showBuildSteps, whatToBuild } from '../build-app.ts'
import { checkedApp } from '../deploy/app-target.ts'
import { makeRelease } from '../deploy/run-release.ts'
import { createChangeQueue, createCodeFolders } from './changed-code.ts'
import { liveReload } from './live-reload.ts'
import { findMachine, leaveMachine, useMachine } from './preview-machine.ts'
import { followLogs, type ReportPreview, showPreview } from './show-preview.ts'

export type PreviewOptions = Pick<BuildOptions, 'exclude' | 'images' | 'python' | 'allowLinksTo'> & {
  readonly port?: number
  readonly runsOn?: RunsOn
  readonly on?: string
  readonly quiet?: true
  readonly endWithInput?: true
}

// Grace time for running jobs when the preview ends, in ms; source: ours, enough for a short job, and nobody waits
// longer.
const STOP_GRACE_MS = 2000

export async function runPreview(options: PreviewOptions, command: Command, given: Surroundings): Promise<void> {
  const surroundings = options.endWithInput === true ? endingWithInput(given) : given
  const { now } = surroundings
  const output = outputOf(command, surroundings)
  const report = showPreview(output, surroundings)
  const { url, data: asked } = globalOptions(command)
  if (url !== undefined) throw usageError('A preview runs on a service of its own. Leave --url out.')
  const app = checkedApp(builtApp(surroundings))
  const data = dataFolder(asked, surroundings)
  const { sweepData, sweepPreviews } = await import('../../../../app/headless/sweep-data.ts')
  for (const { folder, why } of await sweepPreviews(data, sweepData, now()))
    report({ event: 'warning', message: `${folder} of an earlier preview could not be cleaned up: ${why}` })

  const machine = options.on === undefined ? undefined : await findMachine(data, options.on)
  const previewFolder = await makePreviewFolder(data, app)
  let left: string | undefined
  try {
    const start = () =>
      startService(
        { data: previewFolder.folder, port: options.port, stopGraceMs: STOP_GRACE_MS, logLevel: 'warn' },
        data,
      )
    await runService(start, surroundings, {
      onUp: (server, stopping) =>
        preview({ options, app, machine, previewFolder, report, output, surroundings }, server, stopping),
      onStopping: () => report({ event: 'stopping' }),
      beforeStop: async (server) => {
        if (machine !== undefined) left = await leaveMachine(await clientOf(server), machine.name, data)
      },
    })
  } finally {
    await removeFolder(previewFolder.folder)
  }
  report({ event: 'ended', ...(left === undefined ? {} : { left }) })
}

type Preview = {
  readonly options: PreviewOptions
  readonly app: string
  readonly machine: MachineCreate | undefined
  readonly previewFolder: PreviewFolder
  readonly report: ReportPreview
  readonly output: ReturnType<typeof outputOf>
  readonly surroundings: Surroundings
}

async function preview(given: Preview, server: RunningServer, stopping: AbortSignal): Promise<void> {
  const { options, app, machine, previewFolder, report, output, surroundings } = given
  const { cwd: project, now } = surroundings
  const path = { app, environment: previewFolder.environment }
  const client = await clientOf(server)
  const { url, data, keyFile } = server
  report({ event: 'up', ...path, url, data, keyFile })
  await client.call('environmentCreate', { path: { app }, body: { name: previewFolder.environment } })
  if (machine !== undefined)
    await useMachine(client, machine, {
      pause: (ms) => pause(ms, undefined, { signal: stopping }).catch(() => undefined),
      signal: stopping,
    })

  const changes = createChangeQueue()
  const watch = await watchApp(project, {
    onChange: changes.push,
    onThere: (isThere) =>
      report({ event: 'warning', message: isThere ? `${project} is back.` : `${project} is gone. ${WHILE_GONE}` }),
    onPolling: (why) => report({ event: 'warning', message: `${why}. ${POLLING}` }),
  })
  const follow = options.quiet === true ? () => {} : followLogs(client, report, stopping)
  const variables = previewVariables(project, client, path)
  const known = new Set<string>()
  try {
    await liveReload(
      {
        changes,
        report,
        now,
        folders: createCodeFolders(join(previewFolder.folder, 'code')),
        build: buildIntoFolders(whatToBuild(options, surroundings), output, surroundings),
        updateVariables: () => variables.update((taken) => report({ event: 'variables', ...taken })),
        release: (wanted, giveUp, signal) =>
          makeRelease(
            client,
            path,
            { ...wanted, runsOn: options.runsOn, machine: machine?.name, withoutImages: true, deletes: [...known] },
            {
              onProgress({ release, steps }) {
                if (!signal.aborted) report({ event: 'preparing', release: release.number, steps })
              },
              giveUp,
              pause: (ms) => pause(ms, undefined, { signal }),
            },
          ),
        workerStarts: () => startsOf(client),
      },
      ({ endpoints }) => {
        for (const { resource } of endpoints) known.add(resource)
        follow(endpoints)
      },
      stopping,
    )
  } finally {
    watch.close()
  }
}

const clientOf = async ({ url, data }: RunningServer) => createClient({ url, key: (await readAccountKey(data)) ?? '' })

const WHILE_GONE = 'The live release stays up; the preview continues when the folder is back.'
const POLLING = 'Files are checked every half second instead, so a save takes longer to show.'

async function startsOf(client: ServiceClient): Promise<readonly number[]> {
  const { workers } = await client.call('workerList')
  return workers.map(({ startedAt }) => startedAt)
}

// A preview has a temporary data folder next to the user's.

type PreviewFolder = { readonly folder: string; readonly environment: string }

const NAME_LENGTH = 40

async function makePreviewFolder(data: string, app: string): Promise<PreviewFolder> {
  const previews = join(data, 'previews')
  await mkdir(previews, { recursive: true, mode: 0o700 })
  const name = app.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, NAME_LENGTH)
  const folder = await mkdtemp(join(previews, `${name}-`))
  return { folder, environment: `preview-${folder.slice(folder.lastIndexOf('-') + 1)}` }
}

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 3 })
}

/**
 * The first build shows its steps, later ones only package installation, as a save is over before anybody reads more.
 */
function buildIntoFolders(
  wanted: ReturnType<typeof whatToBuild>,
  output: Output,
  surroundings: Surroundings,
): (folder: string, signal: AbortSignal) => Promise<BuiltApp> {
  const { project } = wanted
  const target = createAppFolderWriter({ env: surroundings.env })
  let isFirst = true
  return async (folder, signal) => {
    if (!existsSync(project)) throw new BuildFailure([{ code: 'PROJECT_GONE', message: `${project} is not there.` }])
    const steps = showBuildSteps(output, surroundings)
    const report = isFirst ? steps.report : onlyInstalling(steps.report)
    isFirst = false
    try {
      return await target({ ...wanted, output: folder }, report, signal)
    } finally {
      steps.end()
    }
  }
}

function onlyInstalling(report: (event: BuildEvent) => void): (event: BuildEvent) => void {
  let installs = false
  return (event) => {
    installs ||= event.kind === 'progress'
    if (installs && event.step === 'install') report(event)
  }
}

const ENV_FILE = '.env'

type TakenVariables = { readonly names: readonly string[]; readonly leftOut: readonly string[] }

function previewVariables(project: string, client: ServiceClient, target: AppTarget) {
  let version = 0
  let before: Readonly<Record<string, string>> = {}
  return {
    /**
     * @param onChange receives the names when something changed
     * @returns a version that grows with each change
     */
    async update(onChange: (taken: TakenVariables) => void): Promise<number> {
      const found = Object.entries(parseEnvFile(await readIfThere(join(project, ENV_FILE))))
      const good = found.filter(([name]) => variableName.safeParse(name).success)
      const values = Object.fromEntries(good)
      const set = Object.fromEntries(good.filter(([name, value]) => before[name] !== value))
      const remove = Object.keys(before).filter((name) => values[name] === undefined)
      if (Object.keys(set).length === 0 && remove.length === 0) return version
      await client.call('variablesUpdate', { path: target, body: { set, remove } })
      before = values
      version += 1
      const leftOut = found.flatMap(([name]) => (values[name] === undefined ? [name] : []))
      onChange({ names: Object.keys(values), leftOut })
      return version
    },
  }
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ''
    throw error
  }
}
