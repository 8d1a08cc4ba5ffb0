import type { CatalogEntry, MissingPart } from '../../contract/catalog.ts'
import { containerSettings } from '../../contract/container.ts'
import type { Fleet } from '../../runtimes/port.ts'
import { allocateGpus } from '../../runtimes/rules/gpu-allocation.ts'
import type { NamedCatalogFile, ReadCatalog } from '../apps/ports/build.ts'

export type Catalog = ReturnType<typeof createCatalog>

const NO_ENGINE_FIX = 'If Docker is not installed, install it first; `drydock doctor` checks it.'

type Machines = Pick<Fleet, 'refusal' | 'containerHost'>

export function createCatalog({ fleet, read }: { readonly fleet: Machines; readonly read: ReadCatalog }) {
  return {
    async list(): Promise<readonly CatalogEntry[]> {
      const refusals = new Map<string | undefined, Promise<string | undefined>>()
      const refusal = (gpu: string | undefined) => {
        const known = refusals.get(gpu)
        if (known !== undefined) return known
        const asked = fleet.refusal({ container: containerSettings.parse(gpu === undefined ? {} : { gpu }) })
        refusals.set(gpu, asked)
        return asked
      }
      const files = await read()
      return Promise.all(files.map(async (file) => toEntry(file, await missingFor(fleet, file, refusal))))
    },
  }
}

async function missingFor(
  fleet: Machines,
  file: NamedCatalogFile,
  refusal: (gpu: string | undefined) => Promise<string | undefined>,
): Promise<readonly MissingPart[]> {
  if (file.image === undefined) return []
  const gpu = gpuOf(file)
  const noEngine = await refusal(undefined)
  const noCard =
    gpu === undefined ? undefined : await (noEngine === undefined ? refusal(gpu) : refusalWithoutEngine(fleet, gpu))
  return [
    ...(noEngine === undefined ? [] : [{ what: noEngine, fix: NO_ENGINE_FIX }]),
    ...(noCard === undefined ? [] : [{ what: noCard, fix: cardFix(file) }]),
  ]
}

// Without an engine, a refusal does not come to the GPUs.
async function refusalWithoutEngine({ containerHost }: Machines, gpu: string): Promise<string | undefined> {
  const found = await containerHost?.gpus(false)
  const offer = found && allocateGpus(containerSettings.parse({ gpu }), found.inventory, [])
  return offer && 'reason' in offer ? offer.reason : undefined
}

function gpuOf({ settings }: NamedCatalogFile): string | undefined {
  return containerSettings.pick({ gpu: true }).parse(settings.container ?? {}).gpu
}

function cardFix({ gpuMemoryGb }: NamedCatalogFile): string {
  const size = gpuMemoryGb === undefined ? '' : ` with ${gpuMemoryGb} GB`
  return `It needs an NVIDIA GPU${size}, its driver, and the NVIDIA Container Toolkit. \`drydock doctor\` checks all three.`
}

function toEntry(file: NamedCatalogFile, missing: readonly MissingPart[]): CatalogEntry {
  const { image, handler, settings } = file
  const program = image === undefined ? { handler } : { container: { ...asObject(settings.container), image } }
  return { ...file, settings: { ...settings, ...program } as CatalogEntry['settings'], missing: [...missing] }
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {})
