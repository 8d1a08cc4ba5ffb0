/** `drydock deploy --preview`: the app of this folder on a service of its own, which follows every save until Ctrl+C. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { watchApp } from '../../app-builder/watch-app.ts'
import type { RunsOn } from '../../contract/app.ts'
import type { RunningServer } from '../../server/main.ts'
import { type BuildOptions, builtApp, whatToBuild } from '../build-app.ts'
import { usageError } from '../cli-error.ts'
import { createClient, type ServiceClient } from '../client.ts'
import { dataFolder } from '../data-folder.ts'
import { checkedApp } from '../deploy/app-place.ts'
import { makeRelease } from '../deploy/make-release.ts'
import { readAccountKey } from '../find-service.ts'
import { globalOptions, outputOf } from '../session.ts'
import { runService, startService } from '../start-service.ts'
import type { Surroundings } from '../surroundings.ts'
import { buildIntoFolders } from './build-into-folders.ts'
import { createChangeQueue } from './change-queue.ts'
import { createCodeFolders } from './code-folders.ts'
import { followLogs } from './follow-logs.ts'
import { liveReload } from './live-reload.ts'
import type { TellPreview } from './preview-event.ts'
import { makePreviewFolder, type PreviewFolder, removeFolder } from './preview-folder.ts'
import { showPreview } from './show-preview.ts'
import { previewVariables } from './variables.ts'

/** Options of a preview, as the command line has them. */
export type PreviewOptions = Pick<BuildOptions, 'exclude' | 'images' | 'python'> & {
  readonly port?: number
  readonly runsOn?: RunsOn
  readonly quiet?: true
  readonly endWithInput?: true
}

// What running jobs get when the preview ends, in ms; source: ours, long enough for a short one, and nobody waits longer
// for a preview to end.
const STOP_GRACE_MS = 2000

/** Runs a preview to its end. @throws CliError START_REFUSED (port taken), SERVICE_REFUSED (options that do not fit) */
export async function runPreview(options: PreviewOptions, command: Command, given: Surroundings): Promise<void> {
  const surroundings = options.endWithInput === true ? endingWithInput(given) : given
  const { now } = surroundings
  const output = outputOf(command, surroundings)
  const tell = showPreview(output, surroundings)
  const { url, data: asked } = globalOptions(command)
  if (url !== undefined) throw usageError('A preview runs on a service of its own. Leave --url out.')
  const app = checkedApp(builtApp(surroundings))
  const data = dataFolder(asked, surroundings)
  const { sweepData } = await import('../../server/sweep-data.ts')
  const { sweepPreviews } = await import('../../server/sweep-previews.ts')
  for (const { folder, why } of await sweepPreviews(data, sweepData, now()))
    tell({ event: 'warning', message: `${folder} of an earlier preview could not be tidied up: ${why}` })

  const place = await makePreviewFolder(data, app)
  try {
    const start = () =>
      startService({ data: place.folder, port: options.port, stopGraceMs: STOP_GRACE_MS, logLevel: 'warn' })
    await runService(start, surroundings, {
      onUp: (server, stopping) => preview({ options, app, place, tell, output, surroundings }, server, stopping),
      onStopping: () => tell({ event: 'stopping' }),
    })
  } finally {
    await removeFolder(place.folder)
  }
  tell({ event: 'ended' })
}

/** Surroundings in which the end of standard input asks to stop, like a terminal that is closed. */
function endingWithInput(surroundings: Surroundings): Surroundings {
  return {
    ...surroundings,
    onStopSignal(listener) {
      const off = surroundings.onStopSignal(listener)
      const offInput = surroundings.onInputEnd(() => listener('SIGHUP'))
      return () => {
        off()
        offInput()
      }
    },
  }
}

type Preview = {
  readonly options: PreviewOptions
  readonly app: string
  readonly place: PreviewFolder
  readonly tell: TellPreview
  readonly output: ReturnType<typeof outputOf>
  readonly surroundings: Surroundings
}

async function preview(given: Preview, server: RunningServer, stopping: AbortSignal): Promise<void> {
  const { options, app, place, tell, output, surroundings } = given
  const { cwd: project, now } = surroundings
  const path = { app, environment: place.environment }
  const client = createClient({ url: server.url, key: (await readAccountKey(server.data)) ?? '' })
  const { url, data, keyFile } = server
  tell({ event: 'up', ...path, url, data, keyFile })
  await client.call('environmentCreate', { path: { app }, body: { name: place.environment } })

  const changes = createChangeQueue()
  const watch = await watchApp(project, {
    onChange: changes.push,
    onThere: (isThere) =>
      tell({ event: 'warning', message: isThere ? `${project} is back.` : `${project} is gone. ${WHILE_GONE}` }),
    onPolling: (why) => tell({ event: 'warning', message: `${why}. ${POLLING}` }),
  })
  const follow = options.quiet === true ? () => {} : followLogs(client, tell, stopping)
  const variables = previewVariables(project, client, path)
  const known = new Set<string>()
  try {
    await liveReload(
      {
        changes,
        tell,
        now,
        folders: createCodeFolders(join(place.folder, 'code')),
        build: buildIntoFolders(whatToBuild(options, surroundings), output, surroundings),
        updateVariables: () => variables.update((taken) => tell({ event: 'variables', ...taken })),
        release: (wanted, giveUp, signal) =>
          makeRelease(
            client,
            path,
            { ...wanted, runsOn: options.runsOn, withoutImages: true, deletes: [...known] },
            {
              onProgress({ release, steps }) {
                if (!signal.aborted) tell({ event: 'preparing', release: release.number, steps })
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

const WHILE_GONE = 'What answers goes on; the preview follows it again when it is back.'
const POLLING = 'So files are looked at every half second, and a save takes longer to be seen.'

async function startsOf(client: ServiceClient): Promise<readonly number[]> {
  const { workers } = await client.call('workerList')
  return workers.map(({ startedAt }) => startedAt)
}
