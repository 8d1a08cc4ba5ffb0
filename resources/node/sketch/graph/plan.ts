/** Which nodes of a payload are run, and in which order. */
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import { linksInto, type PayloadNode } from '../../../../src-main/domain/workflow/payload.ts'

/** Those that an output needs, each after all that it takes from. The payload has no loops: that was checked. */
export function planRun(nodes: ReadonlyMap<string, PayloadNode>, types: NodeTypes): readonly PayloadNode[] {
  const ordered: PayloadNode[] = []
  const seen = new Set<string>()
  for (const start of nodes.values()) {
    if (types.get(start.classType)?.isOutput !== true) continue
    // Depth first, with a stack of its own: a chain may be long. A node is put down when it is met again.
    const stack: { readonly node: PayloadNode; readonly isReady: boolean }[] = [{ node: start, isReady: false }]
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      if (top.isReady) ordered.push(top.node)
      if (seen.has(top.node.id)) continue
      seen.add(top.node.id)
      stack.push({ node: top.node, isReady: true })
      for (const link of linksInto(top.node)) {
        const source = nodes.get(link.node)
        if (source !== undefined && !seen.has(source.id)) stack.push({ node: source, isReady: false })
      }
    }
  }
  return ordered
}
