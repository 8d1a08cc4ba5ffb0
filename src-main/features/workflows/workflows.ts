import { limit } from '../../contract/limits.ts'
import type { WorkflowServer, WorkflowTemplate } from '../../contract/workflows.ts'
import type { Clock, Log, NewId } from '../../lib/clock.ts'
import { MIB } from '../../lib/units.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Settings } from '../settings/settings.ts'
import type { WorkflowServers } from '../workers/registry/workflow-servers.ts'
import { sweepLostFiles } from './assets.ts'
import { createBlueprints } from './blueprints.ts'
import { createResultCollector } from './collect-results.ts'
import { readGraph } from './library.ts'
import { createNodePackages, createNodeTypeRegistry } from './node-types.ts'
import type { ReadsGraphs } from './ports/readers.ts'
import type { ProbeServer, WorkflowPorts } from './ports.ts'
import { USUAL_SERVERS } from './rules/server-address.ts'
import { createUnusableServers } from './unusable-servers.ts'
import { createClassesWatch } from './watch-classes.ts'
import { createServersWatch } from './watch-servers.ts'

export type Workflows = ReturnType<typeof createWorkflows>

const SWEEP_EVERY_MS = 60_000
// Checking a hundred thousand files is slow; lost ones can wait an hour.
const SWEEPS_UNTIL_FILES = 60

export function createWorkflows(
  deps: ReadsGraphs & {
    readonly storage: Storage
    readonly clock: Clock
    readonly newId: NewId
    readonly log: Log
    readonly ports: WorkflowPorts
    readonly settings: Settings['get']
    readonly servers: WorkflowServers
    readonly onChange: (endpointId: string) => void
    readonly stopping: AbortSignal
  },
) {
  const { storage, clock, newId, log, readInThread, ports, settings, servers, onChange, stopping } = deps
  const nodeTypes = createNodeTypeRegistry({ storage, clock, ports, readInThread, servers, stopping })
  const unusable = createUnusableServers(clock)
  const classes = createClassesWatch({
    ...{ storage, clock, log, nodeTypes, unusable, stopping },
    sizeOfNodeTypes: ports.sizeOfNodeTypes,
  })
  const serversWatch = createServersWatch({
    ...{ storage, clock, log, servers, nodeTypes, unusable, onChange, stopping },
    probeServer: ports.probeServer,
    readLastModels: ports.readLastModels,
  })
  const assets = { storage, clock, tools: ports.tools, maxBytes: () => settings().assetsMaxMib * MIB }
  const collector = createResultCollector({ ...assets, storage, log, readInThread })
  let cancelSweep: (() => void) | undefined
  let sweeping: Promise<void> = Promise.resolve()
  let sweeps = 0
  let stopped = false

  function planSweep(): void {
    if (stopped) return
    cancelSweep = clock.after(SWEEP_EVERY_MS, () => {
      sweeping = sweep()
        .catch((error) => log.warn('workflows not swept', { error }))
        .finally(planSweep)
    })
  }

  async function sweep(): Promise<void> {
    collector.check()
    classes.readMissing()
    await sweepWorkflows({ storage, clock })
    if (sweeps % SWEEPS_UNTIL_FILES === 0) await sweepLostFiles(assets)
    sweeps += 1
  }

  return {
    nodeTypes,
    blueprints: createBlueprints(ports.readServer, stopping),
    nodePackages: createNodePackages(ports.packageIndex),
    classes,
    askServer: ports.askServer,
    whyNoServer: (address: string) => ports.whyNoServer(address, stopping),
    assets,
    library: {
      ...{ storage, clock, newId, readInThread },
      builtInTypes: () => nodeTypes.readOf(undefined),
      builtInText: () => nodeTypes.of(undefined),
    },
    templates: async (): Promise<readonly WorkflowTemplate[]> => {
      const templates = await ports.templates()
      return templates.map((template) => ({ ...template, nodes: nodesIn(template.text) }))
    },
    servers: (): Promise<readonly WorkflowServer[]> => findServers(ports.probeServer, USUAL_SERVERS, stopping),
    start() {
      collector.start()
      classes.start()
      serversWatch.start()
      planSweep()
    },
    async stop() {
      stopped = true
      cancelSweep?.()
      await Promise.all([collector.stop(), classes.stop(), serversWatch.stop(), sweeping])
    },
  }
}

function nodesIn(text: string): number {
  const nodes = readGraph(text).raw.get('nodes')
  return Array.isArray(nodes) ? nodes.length : 0
}

export async function findServers(
  probe: ProbeServer,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly WorkflowServer[]> {
  const found = await Promise.all(addresses.map((address) => probe(address, signal)))
  return found.filter((server) => server !== undefined)
}

const RUNS = 200

/** Purges workflows deleted an hour ago, and runs that are too old, many or large. */
async function sweepWorkflows({
  storage,
  clock,
}: {
  readonly storage: Pick<Storage, 'write' | 'workflows' | 'runs'>
  readonly clock: Pick<Clock, 'now'>
}): Promise<void> {
  await storage.write(() => storage.workflows.sweep(clock.now() - limit('workflowRestoreMs')))
  const retention = {
    before: clock.now() - limit('runsKeptMs'),
    count: limit('runsKept'),
    bytes: limit('runsKeptBytes'),
  }
  while ((await storage.write(() => storage.runs.trim(retention, RUNS))) > 0);
}
