import { typeOfPayloadNode } from '../dynamic-inputs.ts'
import type { InputType } from '../input-type.ts'
import { asText, isArray, type JsonObject } from '../json/value.ts'
import type { NodeTypes } from '../node-types.ts'
import { readPayloadNodes } from '../payload.ts'

/** A file that a node of a payload asks for. */
export type WantedFile = { readonly node: string; readonly input: string; readonly name: string }

const UPLOADS = ['image_upload', 'video_upload', 'animated_image_upload', 'audio_upload', 'mesh_upload', 'file_upload']
// Classes that read files of users on every server, for where nobody knows the class.
const LOADERS: ReadonlyMap<string, string> = new Map([
  ['LoadImage', 'image'],
  ['LoadImageMask', 'image'],
  ['LoadAudio', 'audio'],
  ['LoadVideo', 'file'],
])

/** Whether the value of an input is the name of a file that a person gives. */
const isUpload = ({ options }: InputType): boolean => UPLOADS.some((key) => options.get(key) === true)

/** The files that a payload asks for, like the picture of LoadImage; each use of one by its node and input. */
export function imagesOf(payload: JsonObject, types: NodeTypes): readonly WantedFile[] {
  return readPayloadNodes(payload).flatMap((node) => {
    const { id, classType, inputs } = node
    const type = typeOfPayloadNode(node, types)
    const known = type?.inputs.filter(isUpload).map(({ name }) => name)
    const names = known === undefined || known.length === 0 ? [LOADERS.get(classType)] : known
    return names.flatMap((input): readonly WantedFile[] => {
      const value = input === undefined ? undefined : inputs.get(input)
      const name = isArray(value) ? undefined : asText(value)
      return input === undefined || name === undefined || name === ''
        ? []
        : [{ node: id, input, name: plainName(name) }]
    })
  })
}

// A server may say in which of its folders a file is, like `x.png [input]`.
const plainName = (name: string): string => name.replace(/ \[(input|output|temp)\]$/, '')
