import { PACKAGE_INDEX_FILE, readPackageIndexFile } from '../../app-builder/machine-tools.ts'
import { readDocument } from '../../domain/workflow/document/document.ts'
import type { JsonObject } from '../../domain/workflow/json/value.ts'
import {
  type PackagesByClass,
  packagesOfDocument,
  packagesOfPayload,
} from '../../domain/workflow/packages/node-package.ts'
import { withNamed } from '../../domain/workflow/packages/package-index.ts'
import { isOfUnknownClass, withPackages } from '../../domain/workflow/packages/problem-packages.ts'
import { readPayloadNode } from '../../domain/workflow/payload.ts'
import type { Problem } from '../../domain/workflow/problem.ts'
import { dataFolder } from '../data-folder.ts'
import type { Output } from '../output.ts'
import { plainWords } from '../plain-words.ts'
import type { Surroundings } from '../surroundings.ts'
import type { GraphFacts } from './graph-facts.ts'
import type { GraphFile } from './read-graph-file.ts'

type Given = {
  readonly graph: Pick<GraphFile, 'form' | 'raw'>
  /** The value of `--data`. */
  readonly data: string | undefined
  readonly surroundings: Surroundings
  readonly output: Output
}

/** The packages that have the classes of a graph: by the index in the data folder, and as the graph names them. */
async function graphPackages({ graph, data, surroundings, output }: Given): Promise<PackagesByClass> {
  const { form, raw } = graph
  const named = form === 'payload' ? packagesOfPayload(raw) : packagesOfDocument(readDocument(raw))
  const index = await readPackageIndexFile(dataFolder(data, surroundings)).catch((error: Error): PackagesByClass => {
    output.note(plainWords(`${PACKAGE_INDEX_FILE} in the data folder cannot be read: ${error.message}.`))
    return new Map()
  })
  return withNamed(index, named)
}

/** Problems that say where the classes that are not known can be had. @param payload what the problems are of */
export async function namePackages(
  problems: readonly Problem[],
  payload: JsonObject,
  given: Given,
): Promise<readonly Problem[]> {
  if (!problems.some(isOfUnknownClass)) return problems
  const classOf = (id: string) => readPayloadNode(id, payload.get(id))?.classType
  return withPackages(problems, classOf, await graphPackages(given))
}

/** The facts of a graph with the packages of its classes that are not known. */
export async function withPackagesOf(facts: GraphFacts, given: Given): Promise<GraphFacts> {
  if (facts.classes.every(({ known }) => known)) return facts
  const packages = await graphPackages(given)
  const classes = facts.classes.map((one) => {
    const named = one.known ? undefined : packages.get(one.name)
    return named === undefined ? one : { ...one, packages: named }
  })
  return { ...facts, classes }
}
