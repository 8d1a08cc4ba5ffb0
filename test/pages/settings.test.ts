import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { launch, NARROW, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

test('a value that is out of range is refused next to its field, and nothing is saved', async () => {
  const { service, page, open, expectAccessible, shoot } = await setup()
  await open('/settings')
  const most = page.getByLabel('Maximum workers')
  await most.fill('0')
  await most.blur()
  expect(await most.getAttribute('aria-invalid')).toBe('true')
  await page.getByText('A whole number from 1 to 1000.').waitFor()
  await page.getByLabel('Log retention (days)').fill('many')
  await page.getByLabel('Log retention (days)').press('Enter')
  expect((await service.get('/api/settings')).maxWorkers).toBe(32)
  await expectAccessible()
  await shoot('settings-faults-1440')
  await most.press('Escape')
  expect(await most.inputValue()).toBe('32')
})

test('credentials of a registry are stored, replaced and forgotten, and their password is never shown', async () => {
  const { service, page, open, expectAccessible, shoot, told } = await setup()
  await open('/settings')
  await page.getByText('No credentials are stored').waitFor()
  await page.getByRole('button', { name: 'Add registry' }).click()
  const panel = page.getByRole('dialog', { name: 'Add registry' })
  await panel.getByLabel('Name', { exact: true }).fill('work')
  await panel.getByLabel('Server').fill('not a host')
  await panel.getByLabel('User name').fill('ada')
  await panel.getByLabel('Password or token').fill('s3cret-password')
  await panel.getByRole('button', { name: 'Store credentials' }).click()
  await panel.getByRole('alert').getByText('must be a host').waitFor()
  await panel.getByLabel('Server').fill('ghcr.io')
  await expectAccessible()
  await shoot('settings-registry-1440')
  await panel.getByRole('button', { name: 'Store credentials' }).click()
  await told('Credentials work are stored.')
  await page.getByText('ghcr.io').waitFor()
  expect(await page.content()).not.toContain('s3cret-password')
  await page.getByRole('button', { name: 'Replace work' }).click()
  const again = page.getByRole('dialog', { name: 'Replace work' })
  expect(await again.getByLabel('Password or token').inputValue()).toBe('')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Remove work' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove work' }).click()
  await page.getByText('No credentials are stored').waitFor()
  expect((await service.get('/api/registries')).registries).toEqual([])
})

test('a new account key ends all sessions, and is in the file that the page names', async () => {
  const { service, page, open } = await setup()
  await open('/settings')
  const keyFile = join(service.data, 'account.key')
  await page.getByText(keyFile).waitFor()
  expect(existsSync(keyFile)).toBe(true)
  const before = readFileSync(keyFile, 'utf8')
  await page.getByRole('button', { name: 'New account key' }).click()
  const question = page.getByRole('alertdialog', { name: 'Make a new account key?' })
  await question.getByText('The old key stops working at once').waitFor()
  await question.getByRole('button', { name: 'Make a new account key' }).click()
  await page.getByText('This browser is not signed in').waitFor()
  // The sessions end with the old key; the new one is written into its file after that.
  const after = await until(() => {
    const key = readFileSync(keyFile, 'utf8')
    expect(key).not.toBe(before)
    return key
  })
  const status = async (key: string) =>
    (await fetch(`${service.url()}/api/info`, { headers: { authorization: `Bearer ${key.trim()}` } })).status
  expect([await status(before), await status(after)]).toEqual([401, 200])
})

test('settings that this browser keeps are changed here too: colours, the sidebar, and the sheet of keys', async () => {
  const { service, page, open } = await setup({ colorScheme: 'light' })
  await open('/settings')
  await page.getByRole('radio', { name: 'dark' }).click()
  await page.getByRole('button', { name: 'Theme: dark. Change to system' }).waitFor()
  const names = page.getByRole('navigation', { name: 'Sections' }).getByText('Workflows')
  // A wide window shows them until somebody chooses.
  await names.waitFor()
  await page.setViewportSize(NARROW)
  await names.waitFor({ state: 'detached' })
  await page.getByLabel('Names in the sidebar').click()
  await names.waitFor()
  // The canvas of a graph wants the room, and has a choice of its own.
  await page.setViewportSize({ width: 1440, height: 900 })
  const text = JSON.stringify({ last_node_id: 0, last_link_id: 0, nodes: [], links: [], groups: [], version: 0.4 })
  const { id } = await service.post('/api/workflows', { name: 'Empty', text })
  await open(`/workflows/edit/${id}`)
  expect(await names.count()).toBe(0)
  await page.getByRole('button', { name: 'Pin the sidebar' }).click()
  await names.waitFor()
  await open('/settings')
  await page.getByLabel('Names in the sidebar').click()
  await names.waitFor({ state: 'detached' })
  await open(`/workflows/edit/${id}`)
  await names.waitFor()
  await open('/settings')
  expect(await names.count()).toBe(0)
  await page.getByRole('button', { name: 'Show all keys' }).click()
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('What do you want to do?').fill('add registry')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Add registry' }).waitFor()
  expect(page.url()).toContain('?registry=-new')
})

test('browsers are signed out, this one or all of them', async () => {
  const { service, page, open } = await setup()
  const { url } = await service.post('/api/session-links')
  const other = await (await launch()).newPage()
  await other.goto(url)
  await other.getByRole('heading', { level: 1 }).waitFor()
  await open('/settings')
  await page.getByText('2 browsers, with this one').waitFor()
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('This browser is not signed in').waitFor()
  await other.reload()
  await other.getByText('This browser is not signed in').waitFor()
  expect(await service.get('/api/sessions')).toMatchObject({ open: 0 })
})

test('looks well in light and dark, narrow and very narrow, and with the service down', async () => {
  const { service, page, open, expectAccessible, shoot } = await setup({ viewport: NARROW })
  const registry = { server: 'registry.with-a-rather-long-name.example.com:5000', username: 'ada', password: 'x' }
  for (const name of ['work', 'a-name-of-credentials-that-nobody-would-choose-but-somebody-will'])
    await service.post('/api/registries', { ...registry, name })
  await open('/settings')
  await page.getByText('work', { exact: true }).first().waitFor()
  await expectAccessible()
  await shoot(`settings-1024`)
  await page.getByRole('heading', { name: 'This browser' }).scrollIntoViewIfNeeded()
  await shoot(`settings-end-1024`)
  await page.setViewportSize({ width: 800, height: 700 })
  await until(async () =>
    expect(await page.evaluate(() => [window.innerWidth, document.documentElement.scrollWidth])).toEqual([800, 800]),
  )
  await shoot(`settings-800`)
  await service.stop()
  await page.getByRole('alert').getByText('The service does not answer').waitFor()
  await page.getByLabel('Rate limits as in production').click()
  await page.getByText(/Start it with .*drydock.* start/).waitFor()
  expect(await page.getByLabel('Rate limits as in production').getAttribute('aria-checked')).toBe('false')
  await shoot(`settings-down-800`)
})

test('commands on the pages work from any folder, with the data folder of the service', async () => {
  const { service, page, open } = await setup(
    {},
    { env: { npm_command: 'exec', DRYDOCK_CALLED_BY: '/clone/drydock.mjs' } },
  )
  await open('/jobs')
  const command = `node /clone/drydock.mjs --data ${service.data} runsync ENDPOINT '{"name": "Ada"}'`
  await page.getByText(command).waitFor()
})

test('a key with a role is made, shown once, listed with what it changed, and revoked', async () => {
  const { service, page, open, expectAccessible, shoot, told } = await setup()
  await service.createEndpoint('echo')
  await open('/settings')
  await page.getByRole('button', { name: 'Add key' }).click()
  const panel = page.getByRole('dialog', { name: 'Add key' })
  await panel.getByLabel('Name', { exact: true }).fill('ada')
  await panel.getByLabel('Role').click()
  await page.getByRole('option', { name: /^Deploy/ }).click()
  await expectAccessible()
  await shoot('settings-key-new-1440')
  await panel.getByRole('button', { name: 'Make key' }).click()
  const shown = page.getByRole('dialog', { name: 'Key ada' })
  const key = (await shown.getByText(/^dk_/).textContent())?.trim() ?? ''
  await shown.getByRole('button', { name: 'Done' }).click()
  await page.getByText('not used yet').waitFor()
  expect(await page.content()).not.toContain(key)

  const answer = await fetch(`${service.url()}/api/endpoints/echo/pause`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  })
  expect(answer.status).toBe(200)
  await open('/settings')
  await page.getByRole('grid', { name: 'Changes' }).getByText('Pause an endpoint').waitFor()
  await page.getByText(/from 127\.0\.0\.1/).waitFor()
  await expectAccessible()
  await shoot('settings-keys-1440')
  await page.getByRole('button', { name: 'Rotate ada' }).click()
  await page.getByRole('button', { name: 'Rotate ada' }).last().click()
  const fresh = (await shown.getByText(/^dk_/).textContent())?.trim()
  expect(fresh).not.toBe(key)
  await shown.getByRole('button', { name: 'Done' }).click()
  await page.getByLabel('Role of ada').click()
  await page.getByRole('option', { name: 'read' }).click()
  await told('ada has the role read.')
  const headers = { authorization: `Bearer ${fresh}` }
  expect((await fetch(`${service.url()}/api/endpoints`, { headers })).status).toBe(200)
  expect((await fetch(`${service.url()}/api/endpoints/echo/pause`, { method: 'POST', headers })).status).toBe(403)
  await page.getByRole('button', { name: 'Revoke ada' }).click()
  await page.getByRole('button', { name: 'Revoke ada' }).last().click()
  await told('ada is revoked.')
  await page.getByText('Only the account key exists.').waitFor()
})
