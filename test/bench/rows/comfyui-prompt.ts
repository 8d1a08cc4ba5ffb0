/** `POST /prompt` of the stand-in, next to a ComfyUI server that only keeps prompts in memory. */
import { readFileSync } from 'node:fs'
import { compared, type Row, short } from '../report.ts'
import { besideComfyuiServer } from '../support/beside-floor.ts'
import { busiestPercent, loadInTurn, p99, perSecond } from '../support/load-in-turn.ts'

const { input } = JSON.parse(readFileSync(new URL('../../../resources/catalog/sketch.json', import.meta.url), 'utf8'))
  .example as { readonly input: { readonly workflow: object } }
const LOAD = {
  client: 'socket',
  body: JSON.stringify({ prompt: input.workflow, client_id: 'bench' }),
  connections: 16,
  ms: 2000,
} as const

export function comfyuiPrompt(rounds: number): Promise<readonly Row[]> {
  return besideComfyuiServer(async (sides) => {
    const results = await loadInTurn(rounds, sides, LOAD)
    const used = `(load side used ${short(busiestPercent(results))} % of a core)`
    const rate = { unit: 'prompts/s', against: `server that keeps prompts in memory ${used}`, least: 0.5 }
    const slowest = { unit: 'ms', against: 'server that keeps prompts in memory', most: 2 }
    return [
      compared('prompts of ComfyUI clients, 16 connections', perSecond(results.ours), perSecond(results.other), rate),
      compared('prompts of ComfyUI clients, 16 connections, p99', p99(results.ours), p99(results.other), slowest),
    ]
  })
}
