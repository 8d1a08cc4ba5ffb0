import { execFileSync } from 'node:child_process'
import { describe, expect, it, test } from 'vitest'
import { platformVariables, shellLine } from '../../../../src-main/features/platform-api/rules/variables.ts'

const ODD = `it's $HOME \`id\` "q" \\ \\'; echo no # end\\`

describe('the line that sets a variable', () => {
  test.each([
    ['sh', `export KEY='it'\\''s'`],
    ['fish', `set -gx KEY 'it\\'s'`],
    ['powershell', `$env:KEY = 'it''s'`],
  ] as const)('quotes a quote for %s', (shell, line) => {
    expect(shellLine(shell, { name: 'KEY', value: "it's" })).toBe(line)
  })

  it('gives sh any value as it is', () => {
    const line = shellLine('sh', { name: 'KEY', value: ODD })
    expect(execFileSync('sh', ['-c', `${line}\nprintf %s "$KEY"`], { encoding: 'utf8' })).toBe(ODD)
  })

  it('marks for fish all that it reads between quotes', () => {
    const line = shellLine('fish', { name: 'KEY', value: ODD })
    expect(line).toBe(`set -gx KEY 'it\\'s $HOME \`id\` "q" \\\\ \\\\\\'; echo no # end\\\\'`)
  })

  it('doubles every mark that powershell reads as a quote', () => {
    const line = shellLine('powershell', { name: 'KEY', value: 'a\u2018b\u2019c\u201Ad\u201B$x' })
    expect(line).toBe("$env:KEY = 'a\u2018\u2018b\u2019\u2019c\u201A\u201Ad\u201B\u201B$x'")
  })
})

describe('the variables', () => {
  const variablesOf = (url: string, bundle?: string) =>
    Object.fromEntries(
      platformVariables(url, 'dk_key', { bundle, pythonPath: '/python/svc_start' }).map(({ name, value }) => [
        name,
        value,
      ]),
    )

  it('lead all tools to the service', () => {
    const variables = variablesOf('http://10.0.0.5:8790')
    expect(variables).toMatchObject({
      RUNPOD_API_BASE_URL: 'http://10.0.0.5:8790',
      RUNPOD_ENDPOINT_BASE_URL: 'http://10.0.0.5:8790/v2',
      RUNPOD_API_KEY: 'dk_key',
      RUNPOD_GRAPHQL_URL: 'http://10.0.0.5:8790/graphql',
      RUNPOD_REST_API_URL: 'http://10.0.0.5:8790/v1',
    })
    expect(variables).toMatchObject({ PYTHONPATH: '/python/svc_start' })
    expect(variables).not.toHaveProperty('SSL_CERT_FILE')
    expect(Object.values(variables).filter((value) => value === 'dk_key')).toHaveLength(1)
  })

  it('name a host of this machine below which endpoints are, and the authorities to trust', () => {
    expect(variablesOf('http://127.0.0.1:8790', '/data/tls/bundle.pem')).toMatchObject({
      RUNPOD_API_BASE_URL: 'http://127.0.0.1:8790',
      RUNPOD_ENDPOINT_BASE_URL: 'http://localhost:8790/v2',
      SSL_CERT_FILE: '/data/tls/bundle.pem',
    })
  })
})
