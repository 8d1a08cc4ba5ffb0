import type { NodeTypes } from '../../workflows/rules/node-types.ts'

// Folders, with the class and the input whose choices are their files.
const LISTS: readonly (readonly [folder: string, classType: string, input: string])[] = [
  ['checkpoints', 'CheckpointLoaderSimple', 'ckpt_name'],
  ['loras', 'LoraLoader', 'lora_name'],
  ['vae', 'VAELoader', 'vae_name'],
  ['text_encoders', 'CLIPLoader', 'clip_name'],
  ['diffusion_models', 'UNETLoader', 'unet_name'],
  ['clip_vision', 'CLIPVisionLoader', 'clip_name'],
  ['style_models', 'StyleModelLoader', 'style_model_name'],
  ['controlnet', 'ControlNetLoader', 'control_net_name'],
  ['upscale_models', 'UpscaleModelLoader', 'model_name'],
  ['gligen', 'GLIGENLoader', 'gligen_name'],
  ['hypernetworks', 'HypernetworkLoader', 'hypernetwork_name'],
  ['photomaker', 'PhotoMakerLoader', 'photomaker_model_name'],
]

export function modelListsOf(types: NodeTypes): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    LISTS.flatMap(([folder, classType, input]) => {
      const names = types.get(classType)?.inputs.find(({ name }) => name === input)?.choices
      return names === undefined ? [] : [[folder, names.map(String)]]
    }),
  )
}
