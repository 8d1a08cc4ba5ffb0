import { linksInto, type PayloadNode } from '../payload.ts'

/**
 * The loops of a payload: each as the ids of its nodes in the order of the data, the same loop once.
 * @param nodes by id
 */
export function findCycles(nodes: ReadonlyMap<string, PayloadNode>): readonly (readonly string[])[] {
  const done = new Set<string>()
  const cycles: string[][] = []
  for (const start of nodes.keys()) {
    if (!done.has(start)) visit(start, nodes, done, cycles)
  }
  return cycles
}

// Depth first with a stack of its own: a chain of 50,000 nodes is no reason to fail.
function visit(start: string, nodes: ReadonlyMap<string, PayloadNode>, done: Set<string>, cycles: string[][]): void {
  const path: string[] = []
  const onPath = new Set<string>()
  const stack: { readonly id: string; readonly sources: string[] }[] = []
  const enter = (id: string) => {
    const node = nodes.get(id)
    path.push(id)
    onPath.add(id)
    stack.push({ id, sources: node === undefined ? [] : linksInto(node).map((link) => link.node) })
  }
  enter(start)
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const source = top.sources.shift()
    if (source === undefined) {
      stack.pop()
      path.pop()
      onPath.delete(top.id)
      done.add(top.id)
    } else if (onPath.has(source)) {
      cycles.push(path.slice(path.indexOf(source)).reverse())
    } else if (!done.has(source)) {
      enter(source)
    }
  }
}
