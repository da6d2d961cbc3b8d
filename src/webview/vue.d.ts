/** Declares components for tools that read TypeScript without the Vue compiler; vue-tsc sees the components themselves. */
declare module '*.vue' {
  import type { Component } from 'vue';
  const component: Component;
  export default component;
}
