import { fileURLToPath } from 'node:url'
import { fakeServer } from './fake-server.ts'

const handlerOf = (name: string) =>
  fileURLToPath(new URL(`../../../resources/node/${name}/handler.ts`, import.meta.url))

/** Settings of an endpoint with so many ComfyUI servers that have the nodes of a graph, or with two stand-in workers. */
export async function workersOf(servers: number, graph: string) {
  if (servers === 0) return { handler: handlerOf('sketch'), workflows: {}, workersMin: 2, workersMax: 2 }
  const runs = () => new Promise<void>((resolve) => setTimeout(resolve, 20)) // the graph itself
  const nodes = Object.values<{ readonly class_type: string; readonly inputs: { readonly ckpt_name?: string } }>(
    JSON.parse(graph),
  )
  const classes = nodes.map(({ class_type: name }) => name)
  const models = nodes.flatMap(({ inputs }) => inputs.ckpt_name ?? [])
  const all = await Promise.all(Array.from({ length: servers }, () => fakeServer({ classes, models, runs })))
  const [server, ...moreServers] = all.map(({ url }) => url())
  return { handler: handlerOf('comfyui'), workflows: { server, moreServers, checkModels: false } }
}
