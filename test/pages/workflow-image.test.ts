/** The panel Image of the editor: versions, models, conflicts and their solutions, in a lock that stays. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { commitFiles, packageFiles } from '../unit/features/worker-images/git-folders.ts'
import { download, NARROW, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

// The same pages, also where an engine runs.
const NO_ENGINE = { env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } } as const

const stated = (cnr_id: string, ver: string) => ({ cnr_id, ver })

type Node = readonly [type: string, properties?: object, values?: readonly unknown[]]

function graphOf(nodes: readonly Node[]): string {
  const all = nodes.map(([type, properties = {}, widgets_values = []], at) => ({
    ...{ id: at + 1, type, pos: [at * 260, 0], size: [220, 80], flags: {}, order: at, mode: 0 },
    ...{ inputs: [], outputs: [], properties, widgets_values },
  }))
  const last = { last_node_id: nodes.length, last_link_id: 0 }
  return JSON.stringify({ ...last, nodes: all, links: [], groups: [], config: {}, extra: {}, version: 0.4 })
}

/** Takes connections and never answers. @returns its address for git */
async function silentServer(): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/ink`
}

test('conflicts are solved in the panel, a package is updated, and the lock stays', async () => {
  const { service, page, open, faults, expectAccessible, shoot } = await setup({}, NO_ENGINE)
  const at = (name: string) => join(service.folder, name)
  commitFiles(
    at('ComfyUI'),
    { 'pyproject.toml': '[project]\nname = "ComfyUI"\nversion = "0.3.40"\n', 'requirements.txt': '' },
    'v0.3.40',
  )
  const first = commitFiles(at('ink'), packageFiles(['Ink']))
  commitFiles(at('fog'), packageFiles(['Mystery']))
  const text = graphOf([
    ['Ink', stated('ink-nodes', '1.0.0')],
    ['Ink', stated('ink-nodes', '2.0.0')],
    ['Mystery'],
    ['CheckpointLoaderSimple', {}, ['lamp.safetensors']],
  ])
  const { id } = await service.post('/api/workflows', { name: 'Cat', text })

  await open(`/workflows/edit/${id}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  const panel = page.getByRole('region', { name: 'Worker image of the workflow' })
  await panel.waitFor()
  await expectAccessible()
  await shoot('workflow-image-empty')
  await panel.getByRole('button', { name: 'Check only' }).press('Enter')
  await panel.getByText('Solve 3 conflicts first.').waitFor()
  const conflicts = panel.getByRole('list', { name: 'Conflicts' })
  await conflicts.getByText('Ink of ink-nodes is wanted in several versions.').waitFor()
  await conflicts.getByRole('button', { name: 'Use registry:ink-nodes@2.0.0 for ink-nodes' }).waitFor()
  await expectAccessible()
  await shoot('workflow-image-conflicts')

  await panel.getByLabel('Source of ink-nodes').fill(`${at('ink')}@main`)
  await panel.getByLabel('Source of ink-nodes').press('Enter')
  await panel.getByText('Solve 2 conflicts first.').waitFor()
  await panel.getByLabel('Node package').fill('fog')
  await panel.getByLabel('Source', { exact: true }).fill(`${at('fog')}@main`)
  await panel.getByLabel('Source', { exact: true }).press('Enter')
  await panel.getByText('Solve 1 conflict first.').waitFor()
  await panel.getByLabel('Source of ComfyUI').fill(`${at('ComfyUI')}@v0.3.40`)
  await panel.getByRole('button', { name: 'Use this source' }).click()
  const packages = panel.getByRole('region', { name: '2 node packages' })
  await packages.getByText(first.slice(0, 8)).waitFor()
  await panel.getByText('Done', { exact: true }).first().waitFor()
  await panel.getByRole('region', { name: 'ComfyUI' }).getByText('0.3.40').waitFor()
  await panel.getByRole('region', { name: '1 model' }).getByText('checkpoints/lamp.safetensors').waitFor()
  await expectAccessible()
  await shoot('workflow-image-lock')

  const second = commitFiles(at('ink'), packageFiles(['Ink', 'Brush']))
  await packages.getByRole('button', { name: 'Update ink-nodes' }).click()
  await packages.getByText(second.slice(0, 8)).waitFor()
  await page.reload()
  await packages.getByText(second.slice(0, 8)).waitFor()
  const saved = await download(page, () => panel.getByRole('button', { name: 'Save the lock' }).click())
  expect(saved.name).toBe('Cat.lock.yaml')
  expect(saved.bytes.toString()).toContain(second)
  expect(faults).toEqual([])
})

test('the palette opens the panel, and a check is cancelled', async () => {
  const { service, page, open, faults, expectAccessible, shoot } = await setup(
    { viewport: NARROW, colorScheme: 'dark' },
    NO_ENGINE,
  )
  const address = await silentServer()
  const text = graphOf([['Ink', { aux_id: 'ann/ink' }]])
  const { id } = await service.post('/api/workflows', { name: 'Cat', text })
  await open(`/workflows/edit/${id}`)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('deploy as a worker')
  await page.getByRole('option', { name: 'Deploy as a worker image' }).click()
  const panel = page.getByRole('region', { name: 'Worker image of the workflow' })
  await panel.getByRole('button', { name: 'Check only' }).click()
  await panel.getByRole('alert').waitFor()
  await panel.getByLabel('Source of ink').fill(address)
  await panel.getByLabel('Source of ink').press('Enter')
  await panel.getByText(`reads ${address}`).waitFor()
  await panel.getByRole('button', { name: 'Cancel' }).click()
  await panel.getByText('Cancelled', { exact: true }).waitFor()
  await expectAccessible()
  await shoot('workflow-image-cancelled-dark-narrow')
  expect(faults).toEqual([])
})
