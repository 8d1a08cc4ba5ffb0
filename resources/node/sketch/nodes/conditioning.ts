/** Prompts: their words, and what is made of several. */
import type { Inputs } from '../graph/inputs.ts'
import type { NodeRun } from '../graph/node-run.ts'
import { readPrompt } from '../picture/read-prompt.ts'
import type { Conditioning, Value } from '../values.ts'

// Of prompts put together; each node may double them.
const WORDS_MAX = 2000

const conditioning = (given: Conditioning): readonly Value[] => [{ kind: 'CONDITIONING', conditioning: given }]

const words = (...texts: readonly string[]) => conditioning({ words: texts.flatMap(readPrompt), guidance: undefined })

const taken = (inputs: Inputs, name: string) => inputs.take(name, 'CONDITIONING').conditioning

/** The words of both. The stand-in has one picture of all its words, so that order is all that tells the ways apart. */
function joined(one: Conditioning, other: Conditioning): readonly Value[] {
  const all = [...one.words, ...other.words].slice(0, WORDS_MAX)
  return conditioning({ words: all, guidance: one.guidance ?? other.guidance })
}

const scaled = (given: Conditioning, factor: number): Conditioning => ({
  ...given,
  words: factor === 0 ? [] : given.words.map(({ text, strength }) => ({ text, strength: strength * factor })),
})

/** By class. */
export const CONDITIONING: Readonly<Record<string, NodeRun>> = {
  CLIPTextEncode: (inputs) => words(inputs.text('text')),
  // Both encoders mostly get the same text.
  CLIPTextEncodeSDXL: (inputs) => words(...new Set([inputs.text('text_g'), inputs.text('text_l')])),
  CLIPTextEncodeSD3: (inputs) => words(...new Set(['clip_g', 'clip_l', 't5xxl'].map(inputs.text))),
  CLIPTextEncodeFlux(inputs) {
    const texts = new Set([inputs.text('t5xxl'), inputs.text('clip_l')])
    return conditioning({ words: [...texts].flatMap(readPrompt), guidance: inputs.number('guidance') })
  },
  ConditioningCombine: (inputs) => joined(taken(inputs, 'conditioning_1'), taken(inputs, 'conditioning_2')),
  ConditioningConcat: (inputs) => joined(taken(inputs, 'conditioning_to'), taken(inputs, 'conditioning_from')),
  ConditioningAverage(inputs) {
    const share = inputs.number('conditioning_to_strength')
    return joined(
      scaled(taken(inputs, 'conditioning_to'), share),
      scaled(taken(inputs, 'conditioning_from'), 1 - share),
    )
  },
  ConditioningZeroOut: (inputs) => conditioning({ ...taken(inputs, 'conditioning'), words: [] }),
  FluxGuidance: (inputs) => conditioning({ ...taken(inputs, 'conditioning'), guidance: inputs.number('guidance') }),
}
