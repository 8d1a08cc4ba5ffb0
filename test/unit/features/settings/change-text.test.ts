import { expect, test } from 'vitest'
import { APP_ROUTES } from '../../../../src-main/contract/app-routes.ts'
import { changeText } from '../../../../src-main/features/settings/rules.ts'

test.each([
  ['endpointPause', 'Pause an endpoint'],
  ['scheduleDelete', 'Delete a schedule'],
  ['appDelete', 'Delete an app'],
  ['platform createEndpoint', 'Create endpoint (platform API)'],
  ['graphql saveEndpoint', 'Save endpoint (GraphQL)'],
  ['signIn', 'Sign in'],
])('%s is told as %s', (operation, text) => {
  expect(changeText(operation)).toBe(text)
})

test('every operation of the service has a readable text', () => {
  for (const name of Object.keys(APP_ROUTES)) expect(changeText(name)).toMatch(/^[A-Z][^A-Z]* /)
})
