/** The packages of the public registry that have a class of nodes, by the index that the user has put into the data folder. */
import type { NodePackagesAnswer } from '../../contract/workflows.ts'
import type { PackagesByClass } from '../../domain/workflow/packages/node-package.ts'
import type { WorkflowPorts } from '../ports/workflows.ts'

type Deps = { readonly ports: Pick<WorkflowPorts, 'packageIndex'> }

/** Gives the packages of a class. */
export type FindNodePackages = (className: string) => Promise<NodePackagesAnswer>

type Known = { readonly changedAt: number; readonly read: Promise<PackagesByClass> }

/** Makes what looks packages up; the index is megabytes, and is read when it has changed. */
export function createNodePackages({ ports: { packageIndex } }: Deps): FindNodePackages {
  let known: Known | undefined
  return async (className) => {
    const changedAt = await packageIndex.changedAt()
    if (changedAt === undefined) known = undefined
    else if (known?.changedAt !== changedAt) known = { changedAt, read: packageIndex.read() }
    try {
      return { packages: [...((await known?.read)?.get(className) ?? [])] }
    } catch (error) {
      return { packages: [], fault: (error as Error).message }
    }
  }
}
