import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const ASK = { query: 'mutation { createFlashAuthRequest { id } }' }
const state = (id: string) => ({ query: `{ flashAuthRequestStatus(flashAuthRequestId: "${id}") { status apiKey } }` })

/** A program without a key asks to be signed in, as the platform's tools do. */
async function asking(url: string) {
  const send = async (body: object) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await response.json()).data
  }
  const { id } = (await send(ASK)).createFlashAuthRequest
  return { id, poll: async () => (await send(state(id))).flashAuthRequestStatus }
}

test('a program that asks to be signed in is allowed by a person, and only then gets the key', async () => {
  const { service, page, open, expectAccessible, shoot, faults } = await setupShared()
  const program = await asking(service.url())
  await open(`/flash/login?request=${program.id}`)
  await page.getByRole('heading', { name: 'A program asks for access' }).waitFor()
  expect(await program.poll()).toEqual({ status: 'PENDING', apiKey: null })
  await expectAccessible()
  await shoot('sign-in-1440')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Allowed. The program signs in by itself').waitFor()
  expect(await program.poll()).toMatchObject({ status: 'APPROVED', apiKey: expect.stringMatching(/^dk_/) })
  await page.getByText('The program is signed in.').waitFor()
  expect(await program.poll()).toEqual({ status: 'CONSUMED', apiKey: null })
  expect(faults).toEqual([])
})

test('a program that is refused is told so', async () => {
  const { service, page, open } = await setupShared()
  const program = await asking(service.url())
  await open(`/flash/login?request=${program.id}`)
  await page.getByRole('button', { name: 'Refuse' }).click()
  await page.getByText('Refused. The program gets no access.').waitFor()
  expect(await program.poll()).toEqual({ status: 'DENIED', apiKey: null })
})
