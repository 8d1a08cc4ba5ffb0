// @comfyorg/sdk: runs a graph and follows it, or waits for a job. Arguments: folder, graph, picture or the id of a job.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [folder, graph, what] = process.argv.slice(2)
const package_ = join(folder, 'node_modules', '@comfyorg', 'sdk')
const { exports } = JSON.parse(readFileSync(join(package_, 'package.json'), 'utf8'))
const { Comfy } = await import(pathToFileURL(join(package_, exports['.'].default)).href)

const client = new Comfy()
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)
const sizes = (outputs) => Promise.all(outputs.map(async (output) => (await output.toBytes()).length))

if (!what.endsWith('.png')) {
  const job = await (await client.jobs.get(what)).result()
  print({ id: job.id, status: job.status, pictures: await sizes(job.outputs) })
} else {
  const workflow = await client.workflows.fromFile(graph)
  const asset = client.assets.fromFile(what)
  workflow.setInput('10', 'image', asset)
  const job = await client.submit(workflow, { idempotencyKey: 'mine' })
  const again = await client.submit(workflow, { idempotencyKey: 'mine' }).catch(({ code }) => code)
  const seen = new Set()
  for await (const { kind } of job.events()) seen.add(kind)
  await job.result()
  const second = client.assets.fromFile(what)
  await second.commit()
  const long = await client.submit(workflow)
  await long.cancel()
  const [output] = job.outputs
  print({
    ...{
      id: job.id,
      again,
      seen: [...seen].sort(),
      magic: Buffer.from(await output.toBytes({ range: [1, 3] })).toString(),
    },
    ...{ part: (await output.toBytes({ range: [0, 9] })).length, reused: second.createdNew === false },
    ...{ format: (await job.getWorkflow()).format, cancelled: (await long.wait()).status },
  })
}
