import { test } from 'vitest'
import { killOpenAiImages } from './kill-openai-images.ts'

// The soak makes 200 of them.
const KILLS = 3

test("a service killed while OpenAI's clients make pictures loses none and duplicates none", async () => {
  await killOpenAiImages({ runs: KILLS })
})
