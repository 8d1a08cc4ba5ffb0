/** The rows that only a running service can tell, each with the fix that the service can do. */
import { AppError } from '../../contract/errors.ts'
import type { DoctorRow } from '../../contract/system.ts'
import { sizeInWords } from '../../domain/size-in-words.ts'
import { isolationFault } from '../../domain/worker/isolated-python.ts'
import type { Host } from '../ports/machine.ts'
import type { Fleet, Storage } from '../ports.ts'
import type { WorkerSupervisor } from '../workers/supervise.ts'

/** What the rows are made of. */
export type ServiceFacts = {
  readonly host: Pick<Host, 'leftPreviews'>
  readonly fleet: Pick<Fleet, 'machine'>
  readonly storage: Pick<Storage, 'endpoints' | 'secrets'>
  readonly supervisor: Pick<WorkerSupervisor, 'status'>
}

/** Endpoints whose workers crash, secrets, images of workers, leftovers of previews. */
export async function serviceRows(facts: ServiceFacts): Promise<readonly DoctorRow[]> {
  const [images, previews] = await Promise.all([imageRows(facts), previewRows(facts)])
  return [secretsRow(facts), ...images, ...crashRows(facts), ...isolatedRows(facts), ...previews]
}

function crashRows({ storage, supervisor }: ServiceFacts): readonly DoctorRow[] {
  const crashing = storage.endpoints.all().flatMap((endpoint) => {
    const { crashLoop } = supervisor.status(endpoint.id)
    return crashLoop === undefined ? [] : [{ endpoint, reason: crashLoop.reason }]
  })
  if (crashing.length === 0) return [{ check: 'endpoints', state: 'ok', found: 'no worker crashes' }]
  return crashing.map(({ endpoint: { id, config }, reason }) => ({
    check: `endpoint ${config.name}`,
    state: 'warning',
    found: reason,
    fix: `Look at its log with \`drydock logs ${id}\` and mend the cause. Where work waits, the next try comes by itself; \`drydock endpoint resume ${id}\` makes it at once.`,
    action: {
      action: 'restart-endpoint',
      target: id,
      label: 'Start again',
      effect: 'Forgets its crashes, so that the next worker starts at once instead of after a pause.',
    },
  }))
}

// What a worker process is told by PYTHONPATH, Python does not read then; see resources/python/svc_start.
function isolatedRows({ storage }: ServiceFacts): readonly DoctorRow[] {
  return storage.endpoints.all().flatMap(({ config }): DoctorRow[] => {
    const fault = isolationFault(config)
    return fault === undefined ? [] : [{ check: `command of ${config.name}`, state: 'warning', ...fault }]
  })
}

// Of a key that is missing nobody hears before somebody needs what it sealed.
function secretsRow({ storage: { secrets } }: ServiceFacts): DoctorRow {
  const check = 'secrets'
  const places = secrets.scopes('').flatMap((scope) => secrets.list(scope).map(({ name }) => ({ scope, name })))
  const lost = places.filter(({ scope, name }) => isLost(secrets, scope, name))
  if (lost.length === 0) {
    const found =
      places.length === 0 ? 'none are stored' : `${places.length} sealed with the key in the file secrets.key`
    return { check, state: 'ok', found: `${found}; no keychain is needed` }
  }
  return {
    check,
    state: 'failed',
    found: `${lost.length} of ${places.length} cannot be read: the file secrets.key is missing or another one`,
    fix: 'Put the file secrets.key back into the data folder, or store registry credentials and variables again.',
  }
}

function isLost(secrets: Storage['secrets'], scope: string, name: string): boolean {
  try {
    secrets.get(scope, name)
    return false
  } catch (error) {
    if (error instanceof AppError && error.code === 'SECRET_LOST') return true
    throw error
  }
}

async function imageRows({ fleet: { machine } }: ServiceFacts): Promise<readonly DoctorRow[]> {
  const images = await machine?.images().catch(() => undefined) // the row of Docker says why
  if (machine === undefined || images === undefined) return []
  const name = machine.workerImage()
  const isMade = images.some((image) => image.name === name)
  const made: DoctorRow = isMade ? { check: 'worker image', state: 'ok', found: name } : NO_IMAGE
  const old = images.filter((image) => image.old)
  if (old.length === 0) return [made]
  const bytes = old.reduce((sum, image) => sum + image.bytes, 0)
  return [
    made,
    {
      check: 'old worker images',
      state: 'warning',
      found: `${old.length} of earlier versions, up to ${sizeInWords(bytes)}`,
      fix: 'Remove them. One that a container uses stays.',
      action: {
        action: 'remove-old-images',
        label: 'Remove them',
        effect: `Removes ${old.map((image) => image.name).join(', ')}.`,
      },
    },
  ]
}

const NO_IMAGE: DoctorRow = {
  check: 'worker image',
  state: 'ok',
  found: 'not made yet: the first worker of a handler in a container makes it, which takes some minutes',
  action: {
    action: 'make-worker-image',
    label: 'Make it now',
    effect: 'Pulls the image of Python that it stands on and builds it, so that no first request waits for it.',
  },
}

async function previewRows({ host }: ServiceFacts): Promise<readonly DoctorRow[]> {
  const { folders, bytes } = await host.leftPreviews()
  if (folders === 0) return []
  return [
    {
      check: 'previews',
      state: 'warning',
      found: `${folders} that were killed left folders (${sizeInWords(bytes)}) and perhaps workers behind`,
      fix: 'Remove what they left. The next preview does it too.',
      action: {
        action: 'remove-previews',
        label: 'Remove them',
        effect: 'Ends their workers and containers and deletes their folders. Previews that run stay.',
      },
    },
  ]
}
