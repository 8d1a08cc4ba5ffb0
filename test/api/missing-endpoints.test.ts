import { expect, test } from 'vitest'
import { setup } from '../support/core.ts'
import { deployApp } from '../support/deployed-app.ts'

test('an app says which endpoints of its active release were deleted, and their deletion says who called them', async () => {
  const service = await setup()
  await deployApp(service, { resources: { greet: {}, welcome: { makesRemoteCalls: true } } })
  const environmentOf = async () => (await service.get('/api/apps')).apps[0].environments[0]
  expect(await environmentOf()).not.toHaveProperty('missing')
  const { body } = await service.ask('DELETE', '/api/endpoints/greet')
  expect(body.broke).toMatchObject({
    release: { number: 1, endpoint: 'shop/production/greet' },
    callers: ['welcome'],
  })
  expect(await environmentOf()).toMatchObject({ endpoints: 1, missing: ['greet'] })
  expect(await service.get('/api/apps/shop/environments/production')).toMatchObject({ missing: ['greet'] })
})
