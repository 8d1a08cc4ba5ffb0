/** Workflows as the service has them: what is joined once and lives as long as it does. */
import type { WorkflowServer, WorkflowTemplate } from '../../contract/workflows.ts'
import { USUAL_SERVERS } from '../../domain/workflow/server/server-address.ts'
import type { WorkflowPorts } from '../ports/workflows.ts'
import type { Clock, Log, NewId, Storage } from '../ports.ts'
import type { AssetDeps } from './assets.ts'
import { createResultCollector } from './collect-results.ts'
import { findServers } from './find-servers.ts'
import type { addWorkflow } from './library.ts'
import { createNodePackages, type FindNodePackages } from './node-packages.ts'
import { createNodeTypeRegistry, type NodeTypeRegistry } from './node-types.ts'
import { readGraph } from './read-library-text.ts'
import { sweepLostFiles } from './sweep-assets.ts'
import { sweepWorkflows } from './sweep-workflows.ts'
import { type ClassesWatch, createClassesWatch } from './watch-classes.ts'

/** What the operations of workflows need, and what lives. */
export type Workflows = {
  readonly nodeTypes: NodeTypeRegistry
  /** The packages that have a class of nodes. */
  readonly nodePackages: FindNodePackages
  readonly library: Parameters<typeof addWorkflow>[0]
  readonly assets: AssetDeps
  readonly templates: () => Promise<readonly WorkflowTemplate[]>
  /** Keeps the classes of nodes those of the servers. */
  readonly classes: Pick<ClassesWatch, 'renew'>
  /** The ComfyUI servers that answer at their usual places. */
  readonly servers: () => Promise<readonly WorkflowServer[]>
  readonly start: () => void
  /** Safe to call twice; waits. */
  readonly stop: () => Promise<void>
}

type Deps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly ports: WorkflowPorts
  readonly assetsMaxBytes: () => number
  readonly stopping: AbortSignal
}

const SWEEP_EVERY_MS = 60_000
// All files of assets are looked at one by one, which may be a hundred thousand; what is lost may lie for another hour.
const SWEEPS_UNTIL_FILES = 60

/** Makes them. */
export function createWorkflows({ storage, clock, newId, log, ports, assetsMaxBytes, stopping }: Deps): Workflows {
  const nodeTypes = createNodeTypeRegistry({ storage, clock, ports, stopping })
  const classes = createClassesWatch({
    ...{ storage, clock, log, nodeTypes, stopping },
    sizeOfNodeTypes: ports.sizeOfNodeTypes,
  })
  const assets = { storage, clock, tools: ports.tools, maxBytes: assetsMaxBytes }
  const collector = createResultCollector({ ...assets, storage, log })
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
    collector.look()
    classes.readMissing()
    await sweepWorkflows({ storage, clock })
    if (sweeps % SWEEPS_UNTIL_FILES === 0) await sweepLostFiles(assets)
    sweeps += 1
  }

  return {
    nodeTypes,
    nodePackages: createNodePackages({ ports }),
    classes,
    assets,
    library: { storage, clock, newId, builtInTypes: () => nodeTypes.readOf(undefined) },
    templates: async () => {
      const templates = await ports.templates()
      return templates.map((template) => ({ ...template, nodes: nodesIn(template.text) }))
    },
    servers: () => findServers(ports.lookForServer, USUAL_SERVERS, stopping),
    start() {
      collector.start()
      classes.start()
      planSweep()
    },
    async stop() {
      stopped = true
      cancelSweep?.()
      await Promise.all([collector.stop(), classes.stop(), sweeping])
    },
  }
}

function nodesIn(text: string): number {
  const nodes = readGraph(text).raw.get('nodes')
  return Array.isArray(nodes) ? nodes.length : 0
}
