import { linksInto, type PayloadNode } from '../payload.ts'

// Of a graph that is made for it each link could close a loop of all nodes before it: gigabytes of ids.
const CYCLES_MAX = 100

/**
 * The loops of a payload: each as the ids of its nodes in the order of the data, the same loop once; the first 100.
 * @param nodes by id
 */
export function findCycles(nodes: ReadonlyMap<string, PayloadNode>): readonly (readonly string[])[] {
  const done = new Set<string>()
  const cycles: string[][] = []
  for (const start of nodes.keys()) {
    if (!done.has(start) && cycles.length < CYCLES_MAX) visit(start, nodes, done, cycles)
  }
  return cycles
}

// Depth first with a stack of its own: a chain of 50,000 nodes is no reason to fail.
function visit(start: string, nodes: ReadonlyMap<string, PayloadNode>, done: Set<string>, cycles: string[][]): void {
  const path: string[] = []
  const onPath = new Set<string>()
  const stack: { readonly id: string; readonly sources: Iterator<string> }[] = []
  const enter = (id: string) => {
    const node = nodes.get(id)
    path.push(id)
    onPath.add(id)
    const sources = node === undefined ? [] : linksInto(node).map((link) => link.node)
    stack.push({ id, sources: sources.values() })
  }
  enter(start)
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const source = top.sources.next().value
    if (source === undefined) {
      stack.pop()
      path.pop()
      onPath.delete(top.id)
      done.add(top.id)
    } else if (onPath.has(source)) {
      if (cycles.length < CYCLES_MAX) cycles.push(path.slice(path.indexOf(source)).reverse())
    } else if (!done.has(source)) {
      enter(source)
    }
  }
}
