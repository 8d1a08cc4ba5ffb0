/**
 * Where the page's payload is not ours, and why ours stays: the page is wrong, or does what only a page can. Everything
 * else that differs is a mistake of ours.
 */
import { TYPES } from './convert.ts'
import type { Difference } from './differences.ts'

/** A reason. `templates`: names, or undefined for a cause that any template may have. */
export type Reason = {
  readonly why: string
  readonly templates?: readonly string[]
  readonly explains: (difference: Difference) => boolean
}

const REASONS: readonly Reason[] = [
  {
    why: 'a title is the name that the server gives the class; the page has a translation of another age, and no server reads it',
    explains: ({ what, classType, ours }) => what.endsWith(': title') && ours === TYPES.get(classType)?.displayName,
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
    why: 'the page draws the model and sends where its camera stands',
    explains: ({ what, ours }) => what.endsWith('3DAdvanced.viewport_state') && ours === '',
  },
  {
    why: 'the page sends a node of a class that it does not know without its class and with values that have no names',
    explains: ({ classType }) => !TYPES.has(classType),
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
    why: 'the newest page drops a link of a list of inputs that grows within a choice',
    templates: ['api_flux2'],
    explains: ({ what }) => what === 'Flux2ImageNode.model.images.image_4',
  },
  {
    why: 'a subgraph that is bypassed within another one is left out; the page sends its nodes, which nothing is linked to',
    templates: ['flux1_dev_uso_reference_image_gen'],
    explains: ({ what, ours }) => what.endsWith(': missing') && ours === undefined,
  },
]

// Of documents that are made of the page's payloads: `page` is what it sent before, `ours` what it sends of the
// document.
const REASONS_OF_DOCUMENTS: readonly Reason[] = [
  {
    why: 'a socket has no widget: a value that a subgraph handed to it has no place in a document without that subgraph',
    explains: ({ what, ours }) =>
      ours === undefined &&
      /^(PreviewAny\.source|ComfySwitchNode\.on_false|ComfyMathExpression\.values\.\w)$/.test(what),
  },
  {
    why: 'comments, and braces behind a backslash, cannot be said in a prompt',
    explains: ({ page }) => typeof page === 'string' && /\/[/*]|\\[{}|]/.test(page),
  },
  {
    why: 'the page draws the model and sends where its camera stands',
    explains: ({ what }) => what === 'Load3D.image',
  },
]

/** Templates that the newest page itself does not open: it throws while it copies them. */
export const NOT_OPENED: readonly string[] = ['basic_image_color_adjustment']

/** The reason of a difference; undefined where there is none. */
export const reasonOf = (template: string, difference: Difference): Reason | undefined =>
  find(REASONS, template, difference)

/** The reason of a difference between a payload and that of the document made of it; undefined where there is none. */
export const reasonOfDocument = (template: string, difference: Difference): Reason | undefined =>
  find(REASONS_OF_DOCUMENTS, template, difference)

function find(reasons: readonly Reason[], template: string, difference: Difference): Reason | undefined {
  return reasons.find(({ templates, explains }) => (templates?.includes(template) ?? true) && explains(difference))
}
