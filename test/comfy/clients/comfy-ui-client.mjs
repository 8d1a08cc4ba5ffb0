// comfy-ui-client: uploads a picture, runs a graph and gets its pictures. Arguments: folder, address, graph, picture.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [folder, address, graph, picture] = process.argv.slice(2)
const { ComfyUIClient } = createRequire(join(folder, 'package.json'))('comfy-ui-client')

const client = new ComfyUIClient(address.replace('http://', ''), 'comfy-ui-client')
await client.connect()
const { name } = await client.uploadImage(readFileSync(picture), 'uploaded.png', true)
const found = await client.getImages(JSON.parse(readFileSync(graph, 'utf8')))
const pictures = Object.values(found).flatMap((images) => images.map(({ blob }) => blob.size))
const { exec_info } = await client.getPrompt()
process.stdout.write(`${JSON.stringify({ pictures, uploaded: name, remaining: exec_info.queue_remaining })}\n`)
process.exit(0)
