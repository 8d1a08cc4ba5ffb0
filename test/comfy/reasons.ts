/**
 * Where the page's payload is not ours, and why ours stays: the page is wrong, or does what only a page can. Everything else
 * that differs is a mistake of ours.
 */
import type { Difference } from './differences.ts'

/** A reason. `templates`: names, or undefined for a cause that any template may have. */
export type Reason = {
  readonly why: string
  readonly templates?: readonly string[]
  readonly explains: (difference: Difference) => boolean
}

// Classes whose English title in the page's own translation is older than the class.
const TRANSLATED = new Set([
  'ByteDance2ReferenceNode',
  'ByteDanceSeedreamNodeV2',
  'IdeogramPImage',
  'LTXVConcatAVLatent',
  'LTXVSeparateAVLatent',
  'TopazImageEnhance',
])

const REASONS: readonly Reason[] = [
  {
    why: 'a title is the name that the server gives the class; the page has an older translation of it, and no server reads it',
    explains: ({ what }) => what.endsWith(': title') && TRANSLATED.has(what.slice(0, -': title'.length)),
  },
  {
    why: 'the page draws the model and sends pictures of it that it uploads; without a page nothing is drawn',
    templates: [
      'api_hunyuan3d_model2uv',
      'api_hunyuan3d_part',
      'api_hunyuan3d_retopo_uv',
      'api_hunyuan3d_smart_topology',
    ],
    explains: ({ what, ours }) => what === 'Load3D.image' && ours === '',
  },
  {
    why: 'the page sends a node of a class that it does not know without its class and with values that have no names',
    templates: [
      'template_rob_realistic_2k_images_quick_variations',
      'templates_rob_realistic_2k_images_quick_variations.app',
      'templates_mjm_looped_restyler',
    ],
    explains: ({ page, ours, what }) => /^\?|^undefined|: (class|title)$|\.UNKNOWN/.test(what) && page !== ours,
  },
  {
    why: 'a primitive that is linked through a reroute into a subgraph is shown as the value, but the page sends the old one',
    templates: ['template_contact_sheet-step_3.app'],
    explains: ({ what }) => what === 'KlingFirstLastFrameNode.duration',
  },
  {
    why: 'the page gives a primitive the first choice of a link whose target is not there, in place of what the file holds',
    templates: ['templates_graphic_design_recomposer'],
    explains: ({ what }) => what === 'GeminiNanoBanana2V2.model.aspect_ratio',
  },
  {
    why: 'a subgraph that is bypassed within another one is left out; the page sends its nodes, which nothing is linked to',
    templates: ['flux1_dev_uso_reference_image_gen'],
    explains: ({ what, ours }) => what.endsWith(': missing') && ours === undefined,
  },
]

// Of documents that are made of the page's payloads: `page` is what it sent before, `ours` what it sends of the document.
const REASONS_OF_DOCUMENTS: readonly Reason[] = [
  {
    why: 'a socket has no widget: a value that a subgraph handed to it has no place in a document without that subgraph',
    explains: ({ what, ours }) =>
      ours === undefined &&
      /^(PreviewAny\.source|ComfySwitchNode\.on_false|ComfyMathExpression\.values\.\w)$/.test(what),
  },
  {
    why: 'the page takes braces in a prompt for choices, also where a payload has them as they are',
    explains: ({ page, ours }) => typeof page === 'string' && page.includes('{') && typeof ours === 'string',
  },
  {
    why: 'the page draws the model and sends where its camera stands',
    explains: ({ what }) => what === 'Load3D.image',
  },
]

/** The reason of a difference; undefined where there is none. */
export const reasonOf = (template: string, difference: Difference): Reason | undefined =>
  find(REASONS, template, difference)

/** The reason of a difference between a payload and that of the document made of it; undefined where there is none. */
export const reasonOfDocument = (template: string, difference: Difference): Reason | undefined =>
  find(REASONS_OF_DOCUMENTS, template, difference)

function find(reasons: readonly Reason[], template: string, difference: Difference): Reason | undefined {
  return reasons.find(({ templates, explains }) => (templates?.includes(template) ?? true) && explains(difference))
}
