import { subgraphsOf, type WorkflowDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import { type GraphAddress, graphAt } from '../../../../src-main/domain/workflow/edit/graph-at.ts'
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'

/** A widget that takes a picture, like that of Load Image. */
export type ImageInput = {
  readonly at: GraphAddress
  readonly node: string
  /** Name of the input. */
  readonly name: string
  /** For a person: the title of the node and its id. */
  readonly label: string
}

/** The widgets of a document that take pictures, those of the graph that is shown first. */
export function imageInputs(document: WorkflowDocument, types: NodeTypes, shown: GraphAddress): readonly ImageInput[] {
  const addresses: readonly GraphAddress[] = [undefined, ...subgraphsOf(document).keys()]
  const inOrder = [shown, ...addresses.filter((at) => at !== shown)]
  return inOrder.flatMap((at) =>
    (graphAt(document, at)?.nodes.items ?? []).flatMap(({ id = '', type: className = '', title }) => {
      const type = types.get(className)
      const input = type?.inputs.find(({ options }) => options.get('image_upload') === true)
      if (type === undefined || input === undefined) return []
      return [{ at, node: id, name: input.name, label: `${title ?? type.displayName} (${id})` }]
    }),
  )
}
