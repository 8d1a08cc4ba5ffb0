// @stable-canvas/comfyui-client: runs a graph and follows it, on the socket and by polling. Arguments: folder, address, graph.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { WebSocket } from 'ws'

const [folder, address, file] = process.argv.slice(2)
const { Client } = createRequire(join(folder, 'package.json'))('@stable-canvas/comfyui-client')

const client = new Client({ api_host: address.replace('http://', ''), WebSocket, fetch })
client.connect()
const graph = JSON.parse(readFileSync(file, 'utf8'))
let steps = 0
const followed = await client.enqueue(graph, {
  progress: () => {
    steps += 1
  },
})
const polled = await client.enqueue_polling(graph)
const pictures = []
for (const { type, data } of [...followed.images, ...polled.images])
  if (type === 'url') pictures.push((await (await fetch(data)).arrayBuffer()).byteLength)
const models = await client.getSDModels()
process.stdout.write(`${JSON.stringify({ id: followed.prompt_id, steps, pictures, models: models.length })}\n`)
process.exit(0)
