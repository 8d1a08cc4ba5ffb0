import type { CliCommand } from '../../../app/cli/cli-command.ts'
import type { Colour } from '../../../app/cli/output.ts'
import type { Session } from '../../../app/cli/session.ts'
import { readText, request } from '../../../app/client/http.ts'
import type { ProbeAnswer, ProbeResult } from '../../../contract/targets.ts'
import { plainJson } from '../../../lib/json/plain.ts'
import { compareAnswers, observe, PROBE_CALLS, type ProbeCall, probeHeaders } from '../rules/probe.ts'

const COLOURS = { same: 'green', different: 'red', unknown: 'yellow' } as const satisfies Record<
  ProbeResult['result'],
  Colour
>

export function addProbe(probe: CliCommand): void {
  probe
    .requiredOption('--target <name>', 'target to compare with this service')
    .details(`
The calls only read, or name something that does not exist; none creates, changes or costs anything. Status, content type,
fields, types and error codes are compared, but no values such as ids and times. Calls of the job API also go to the
target's address. Unknown: a call failed, or a list is empty.`)
    .examples('drydock probe --target hosted', 'drydock probe --target hosted --json')
    .onSession(async (session, { target }: { target: string }) => {
      const { client, output } = session
      const { answers } = await client.call('targetProbe', { path: { target } })
      const results: ProbeResult[] = []
      for (const [at, call] of PROBE_CALLS.entries()) {
        const there = answers[at]
        if (there !== undefined) results.push(compareAnswers(call, await askHere(session, call), there))
      }
      output.result({ results }, () => {
        for (const { call, result, found } of results) {
          output.line(`${output.paint(COLOURS[result], result.padEnd('different'.length))}  ${call}`)
          for (const line of found) output.line(`${' '.repeat('different'.length + 2)}${line}`)
        }
        const count = (wanted: ProbeResult['result']) => results.filter(({ result }) => result === wanted).length
        output.line(`\n${count('same')} same, ${count('different')} different, ${count('unknown')} unknown`)
      })
    })
}

async function askHere({ service }: Session, call: ProbeCall): Promise<ProbeAnswer> {
  const { url, key, certificate } = service
  const { method, path, body } = call
  const response = await request({ url: url + path, method, headers: probeHeaders(call, key), body, certificate })
  return observe(response.status, response.contentType, plainJson(await readText(response.body)))
}
