// @saintno/comfyui-sdk: runs a graph and follows it, or interrupts it. Arguments: folder, address, graph, what to do.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [folder, address, graph, what] = process.argv.slice(2)
const { ComfyApi, CallWrapper, PromptBuilder } = createRequire(join(folder, 'package.json'))('@saintno/comfyui-sdk')

const api = new ComfyApi(address).init()
await api.waitForReady()
const workflow = new PromptBuilder(JSON.parse(readFileSync(graph, 'utf8')), [], ['images']).setOutputNode('images', '9')
let [steps, previews] = [0, 0]
const ended = await new Promise((resolve) => {
  new CallWrapper(api, workflow)
    .onProgress(() => {
      steps += 1
      if (what === 'interrupt' && steps === 1) void api.interrupt()
    })
    .onPreview(() => {
      previews += 1
    })
    .onFinished((outputs, id) => resolve({ outputs, id }))
    .onFailed(({ message }, id) => resolve({ message, id }))
    .run()
})
const pictures = []
for (const picture of ended.outputs?.images.images ?? []) pictures.push((await api.getImage(picture)).size)
process.stdout.write(`${JSON.stringify({ id: ended.id, message: ended.message, steps, previews, pictures })}\n`)
process.exit(0)
