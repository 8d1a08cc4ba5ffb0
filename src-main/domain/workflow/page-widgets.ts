/**
 * Widgets that the public editor draws beside those that a class declares: buttons, views and parts of other widgets. They
 * count in the stored values of a node, and most are sent. Here they are inputs of the class like any other, marked. What
 * brings them is a type of input or an option; the few classes for which the editor's own code adds some are a table.
 * Source: ours, held against the editor's page by test/comfy.
 */

import type { InputType, PageWidget } from './input-type.ts'
import { isObject, type JsonObject, type JsonValue } from './json/value.ts'

const BUTTON: PageWidget = { isStored: true, isSent: true }
const PART: PageWidget = { isStored: true, isSent: false }

type Added = readonly [name: string, value: JsonValue, page: PageWidget]

// A camera and what was drawn of the model; the page fills it in when it draws.
const VIEW_OF_MODEL: Added = ['image', '', BUTTON]

/** By class: after which of its inputs, undefined for after all, come which widgets. */
const OF_CLASS: Readonly<Record<string, { readonly after?: string; readonly added: readonly Added[] }>> = {
  Load3D: {
    after: 'model_file',
    added: [
      ['upload 3d model', 'upload3dmodel', BUTTON],
      ['upload extra resources', 'uploadExtraResources', BUTTON],
      ['clear', 'clear', BUTTON],
    ],
  },
  Preview3D: { added: [VIEW_OF_MODEL] },
  SaveGLB: { added: [VIEW_OF_MODEL] },
  WebcamCapture: { added: [['waiting for camera...', 'capture', PART]] },
}

/** By type: what comes after a widget of it. */
const AFTER_TYPE: Readonly<Record<string, (own: JsonValue | undefined) => readonly Added[]>> = {
  AUDIO_RECORD: () => [['record', '', PART]],
  BOUNDING_BOX: (own) =>
    ['x', 'y', 'width', 'height'].map((side) => [side, (isObject(own) ? own.get(side) : undefined) ?? null, PART]),
}

/** The inputs of a class with the widgets that the public editor adds. @param isWidget whether an input is set on the node */
export function withPageWidgets(
  className: string,
  inputs: readonly InputType[],
  isWidget: (input: InputType) => boolean,
): readonly InputType[] {
  const ofClass = Object.hasOwn(OF_CLASS, className) ? OF_CLASS[className] : undefined
  const added = inputs.flatMap((input) => [
    input,
    ...(isWidget(input) ? afterInput(input) : []),
    ...(ofClass?.after === input.name ? ofClass.added.map(pageInput) : []),
  ])
  const last = ofClass === undefined || ofClass.after !== undefined ? [] : ofClass.added
  return [...added, ...[...last, ...uploads(inputs)].map(pageInput)]
}

// A list of files that others can be sent to has a button for it, after all widgets.
const UPLOADS = ['image_upload', 'video_upload', 'animated_image_upload', 'audio_upload']

function uploads(inputs: readonly InputType[]): readonly Added[] {
  const lists = inputs.filter(({ type, isRequired }) => type === 'COMBO' && isRequired)
  const key = UPLOADS.find((one) => lists.some(({ options }) => options.get(one) === true))
  return key === undefined ? [] : [['upload', key === 'audio_upload' ? '' : 'image', PART]]
}

function afterInput(input: InputType): readonly InputType[] {
  const ofType = Object.hasOwn(AFTER_TYPE, input.type) ? AFTER_TYPE[input.type] : undefined
  const parts = (ofType?.(input.options.get('default')) ?? []).map(([name, value, page]): Added => {
    return [`${input.name}.${name}`, value, page]
  })
  return [...parts, ...afterRemote(input.options)].map(pageInput)
}

// A list that is read from an address has a button for it.
function afterRemote(options: JsonObject): readonly Added[] {
  const remote = options.get('remote')
  if (!isObject(remote) || remote.get('refresh_button') !== true) return []
  return [
    ['Auto-refresh after generation', false, PART],
    ['refresh', 'refresh', BUTTON],
  ]
}

/** An input for a widget that the public editor alone draws. */
function pageInput([name, value, page]: Added): InputType {
  return { name, isRequired: false, type: 'PAGE', choices: undefined, options: new Map([['default', value]]), page }
}

/** The widgets of a list that its author writes on the node: which one is chosen, and one for each entry. */
export function customComboWidgets(hasValue: (at: number) => boolean): readonly InputType[] {
  const inputs = [pageInput(['index', { number: '0' }, BUTTON])]
  do inputs.push(ownEntry(inputs.length))
  while (inputs.length < ENTRIES_MAX && hasValue(inputs.length))
  return inputs
}

const ownEntry = (at: number): InputType => {
  const options = new Map<string, JsonValue>([['default', '']])
  return { name: `option${at}`, isRequired: false, type: 'STRING', choices: undefined, options }
}

// More than anybody writes by hand; a document may claim any number. Source: ours.
const ENTRIES_MAX = 1000
