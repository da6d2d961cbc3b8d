/** Declares Vue components for tools without the Vue compiler. vue-tsc reads the components themselves. */
declare module '*.vue' {
  import type { Component } from 'vue';
  const component: Component;
  export default component;
}
