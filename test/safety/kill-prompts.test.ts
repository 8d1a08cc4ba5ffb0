import { test } from 'vitest'
import { killPrompts } from './kill-prompts.ts'

// The soak makes 200 of them.
const KILLS = 4

test('a service killed while ComfyUI clients send prompts loses none and duplicates none', async () => {
  await killPrompts({ runs: KILLS })
})
