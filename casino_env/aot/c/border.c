/* The Python extension module: wraps every kernel as a Python function.

   A kernel takes a block of 64-bit slots (build.py): a number takes one, an array its address and then its sizes. The
   answer overwrites the block from its beginning. Letters (types.py) spell the types of arguments and answers:

       q Q d       int64, uint64, double
       aN:B;       an array of N dimensions whose elements have B bytes
       ( ... )     a tuple
       ?           a boolean (answers only)
*/
#include "border.h"
#include "python_abi.h"
#include <string.h>

enum { SLOTS = 640, VIEWS = 256, NODES = 320 };

typedef struct { /* the type of a number, an array or a tuple */
    char letter, dimensions;
    uint32_t size; /* array: bytes of an element; tuple: number of its items */
    uint16_t nodes; /* nodes in this subtree, this one included */
} Node;

typedef struct {
    int count;
    Node node[NODES];
} Letters;

typedef struct {
    PyObject base;
    Kernel kernel;
    const char *name;
    Letters takes, returns;
} Entry;

typedef struct { /* a tuple, checked and encoded once for repeated calls */
    PyObject base;
    int slots, views;
    Letters letters;
    int64_t *slot;
    Py_buffer *view;
    PyObject *tuple;
} Pinned;

typedef struct { /* a block that is being filled */
    int slots, views;
    int64_t slot[SLOTS];
    Py_buffer view[VIEWS];
} Block;

static PyObject *entry_type, *pinned_type;

static int has_flag(PyObject *value, unsigned long flag) { return (PyType_GetFlags(value->type) & flag) != 0; }

static void *new_object(PyObject *type) { return ((void *(*)(PyObject *, Py_ssize_t))PyType_GetSlot(type, Py_tp_alloc))(type, 0); }

static void delete_object(PyObject *self) {
    PyObject *type = self->type;
    ((void (*)(void *))PyType_GetSlot(type, Py_tp_free))(self);
    Py_DecRef(type);
}

/* --- letters ------------------------------------------------------------------------------------------------------ */

static const char *parse(const char *text, Letters *to) {
    if (to->count == NODES) return NULL;
    Node *node = &to->node[to->count++];
    const int first = to->count;
    node->letter = *text++;
    node->nodes = 1;
    if (node->letter == 'a') {
        node->dimensions = (char)(*text - '0');
        text += 2;
        while (*text >= '0' && *text <= '9') node->size = 10 * node->size + (uint32_t)(*text++ - '0');
        return *text == ';' ? text + 1 : NULL;
    }
    if (node->letter == '(') {
        while (text && *text != ')') {
            if (!*text) return NULL;
            text = parse(text, to);
            node->size++;
        }
        node->nodes = (uint16_t)(1 + to->count - first);
        return text ? text + 1 : NULL;
    }
    return strchr("qQd?", node->letter) ? text : NULL;
}

static int parse_all(PyObject *letters, Letters *to) {
    const char *text = PyUnicode_AsUTF8AndSize(letters, NULL);
    while (text && *text) text = parse(text, to);
    if (!text && !PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "no letters of the border");
    return text ? 0 : -1;
}

/* --- from Python into a block ---------------------------------------------------------------------------------- */

static void release(Py_buffer *view, int count) {
    while (count) PyBuffer_Release(&view[--count]);
}

static int fill_number(Block *block, PyObject *value, char letter) {
    int64_t *slot = &block->slot[block->slots++];
    if (letter == 'd') {
        const double number = PyFloat_AsDouble(value);
        memcpy(slot, &number, sizeof number);
        return number == -1.0 && PyErr_Occurred() ? -1 : 0;
    }
    PyObject *whole = has_flag(value, TPFLAGS_LONG) ? value : PyNumber_Index(value);
    if (!whole) return -1;
    *slot = letter == 'Q' ? (int64_t)PyLong_AsUnsignedLongLong(whole) : PyLong_AsLongLong(whole);
    if (whole != value) Py_DecRef(whole);
    return *slot == -1 && PyErr_Occurred() ? -1 : 0;
}

static int fill_array(Block *block, PyObject *value, const Node *node) {
    Py_buffer *view = &block->view[block->views];
    if (block->views == VIEWS || PyObject_GetBuffer(value, view, PyBUF_C_CONTIGUOUS)) return -1;
    block->views++;
    if (view->ndim != node->dimensions || view->itemsize != node->size) {
        PyErr_Format(PyExc_TypeError, "an array of %d dimensions and %d bytes an element; it must have %d and %d", view->ndim,
                     (int)view->itemsize, (int)node->dimensions, (int)node->size);
        return -1;
    }
    block->slot[block->slots++] = (int64_t)(intptr_t)view->buf;
    for (int i = 0; i < view->ndim; i++) block->slot[block->slots++] = view->shape[i];
    return 0;
}

static int fill_pinned(Block *block, const Pinned *pinned, const Node *node) {
    if (pinned->letters.count != node->nodes || memcmp(pinned->letters.node, node, node->nodes * sizeof *node) ||
        block->slots + pinned->slots > SLOTS) {
        PyErr_Format(PyExc_TypeError, "what is pinned is something else");
        return -1;
    }
    memcpy(&block->slot[block->slots], pinned->slot, (size_t)pinned->slots * sizeof(int64_t));
    block->slots += pinned->slots;
    return 0;
}

static int fill(Block *block, PyObject *value, const Node *node) {
    if (block->slots + 8 > SLOTS) {
        PyErr_Format(PyExc_ValueError, "more than a block holds");
        return -1;
    }
    if (node->letter == 'a') return fill_array(block, value, node);
    if (node->letter != '(') return fill_number(block, value, node->letter);
    if (value->type == pinned_type) return fill_pinned(block, (Pinned *)value, node);
    if (!has_flag(value, TPFLAGS_TUPLE) || PyTuple_Size(value) != node->size) {
        PyErr_Format(PyExc_TypeError, "a tuple of %d is wanted", (int)node->size);
        return -1;
    }
    const Node *part = node + 1;
    for (int i = 0; i < node->size; i++, part += part->nodes)
        if (fill(block, PyTuple_GetItem(value, i), part)) return -1;
    return 0;
}

/* --- from a block to Python ---------------------------------------------------------------------------------- */

static PyObject *answer(const int64_t **slot, const Node *node) {
    double number;
    switch (node->letter) {
    case 'q': return PyLong_FromLongLong(*(*slot)++);
    case 'Q': return PyLong_FromUnsignedLongLong((uint64_t)*(*slot)++);
    case '?': return PyBool_FromLong((long)*(*slot)++);
    case 'd': memcpy(&number, (*slot)++, sizeof number); return PyFloat_FromDouble(number);
    }
    PyObject *tuple = PyTuple_New(node->size);
    const Node *part = node + 1;
    for (int i = 0; tuple && i < node->size; i++, part += part->nodes) PyTuple_SetItem(tuple, i, answer(slot, part));
    return tuple;
}

static PyObject *call(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    const Entry *entry = (const Entry *)self;
    const Node *node = entry->takes.node, *end = node + entry->takes.count;
    Block block;
    PyObject *result = NULL;
    block.slots = block.views = 0;
    for (Py_ssize_t i = 0; i < count; i++, node += node->nodes) {
        if (node == end) break;
        if (fill(&block, arguments[i], node)) goto out;
    }
    if (node != end || count > entry->takes.count) {
        PyErr_Format(PyExc_TypeError, "%s: called with %d arguments", entry->name, (int)count);
        goto out;
    }
    void *state = PyEval_SaveThread();
    int failed = entry->kernel(block.slot);
    PyEval_RestoreThread(state);
    const int64_t *slot = block.slot;
    if (failed)
        PyErr_Format(PyExc_RuntimeError, "%s failed", entry->name);
    else if (entry->returns.count)
        result = answer(&slot, entry->returns.node);
    else
        Py_IncRef(result = &_Py_NoneStruct);
out:
    release(block.view, block.views);
    return result;
}

/* --- the module --------------------------------------------------------------------------------------------------- */

static PyMethodDef call_method = {"kernel", (void *)call, METH_FASTCALL, NULL};

/* entry(name, takes, returns): wrap a kernel as a function. */
static PyObject *entry(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    const char *name = count == 3 ? PyUnicode_AsUTF8AndSize(arguments[0], NULL) : NULL;
    const Known *known = casino_kernels;
    while (name && known->name && strcmp(known->name, name)) known++;
    if (!name || !known->name) return PyErr_Format(PyExc_ImportError, "the library has no %s", name ? name : "such kernel");
    Entry *made = new_object(entry_type);
    if (!made) return NULL;
    made->kernel = known->kernel;
    made->name = known->name;
    PyObject *function = NULL;
    if (!parse_all(arguments[1], &made->takes) && !parse_all(arguments[2], &made->returns))
        function = PyCFunction_NewEx(&call_method, &made->base, NULL);
    Py_DecRef(&made->base);
    return function;
}

static void delete_pinned(PyObject *self) {
    Pinned *pinned = (Pinned *)self;
    release(pinned->view, pinned->views);
    PyMem_Free(pinned->slot);
    PyMem_Free(pinned->view);
    if (pinned->tuple) Py_DecRef(pinned->tuple);
    delete_object(self);
}

/* pin(letters, tuple): check and encode a tuple for repeated calls. */
static PyObject *pin(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    Block block;
    Pinned *pinned = count == 2 ? new_object(pinned_type) : NULL;
    if (!pinned) return PyErr_Format(PyExc_TypeError, "pin(letters, tuple)");
    block.slots = block.views = 0;
    if (parse_all(arguments[0], &pinned->letters) || fill(&block, arguments[1], pinned->letters.node)) goto failed;
    pinned->slot = PyMem_Malloc((size_t)(block.slots + 1) * sizeof(int64_t));
    pinned->view = PyMem_Malloc((size_t)(block.views + 1) * sizeof(Py_buffer));
    if (!pinned->slot || !pinned->view) goto failed;
    memcpy(pinned->slot, block.slot, (size_t)block.slots * sizeof(int64_t));
    memcpy(pinned->view, block.view, (size_t)block.views * sizeof(Py_buffer));
    pinned->slots = block.slots;
    pinned->views = block.views;
    Py_IncRef(pinned->tuple = arguments[1]);
    return &pinned->base;
failed:
    release(block.view, block.views);
    Py_DecRef(&pinned->base);
    return NULL;
}

/* unpin(value): the tuple behind a pinned one; any other value unchanged. */
static PyObject *unpin(PyObject *module, PyObject *value) {
    PyObject *found = value->type == pinned_type ? ((Pinned *)value)->tuple : value;
    Py_IncRef(found);
    return found;
}

/* runs(level): whether this processor can run machine code for a level such as x86-64-v3. */
static PyObject *runs(PyObject *module, PyObject *name) {
    const char *level = PyUnicode_AsUTF8AndSize(name, NULL);
    int fits = 1;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (level && !strcmp(level, "x86-64-v3")) fits = __builtin_cpu_supports("x86-64-v3");
    if (level && !strcmp(level, "x86-64-v4")) fits = __builtin_cpu_supports("x86-64-v4");
#endif
    return level ? PyBool_FromLong(fits != 0) : NULL;
}

static PyMethodDef methods[] = {{"entry", (void *)entry, METH_FASTCALL, NULL},
                                {"pin", (void *)pin, METH_FASTCALL, NULL},
                                {"unpin", (void *)unpin, METH_O, NULL},
                                {"runs", (void *)runs, METH_O, NULL},
                                {NULL, NULL, 0, NULL}};
static PyModuleDef definition = {{1, NULL}, NULL, 0, NULL, "_casino_kernels", NULL, -1, methods, NULL, NULL, NULL, NULL};

static PyObject *new_type(const char *name, int size, void (*deleted)(PyObject *)) {
    PyType_Slot slots[] = {{Py_tp_dealloc, (void *)deleted}, {0, NULL}};
    PyType_Spec spec = {name, size, 0, TPFLAGS_DEFAULT, slots};
    return PyType_FromSpec(&spec);
}

EXPORTED PyObject *PyInit__casino_kernels(void) {
    entry_type = new_type("_casino_kernels.Entry", sizeof(Entry), delete_object);
    pinned_type = new_type("_casino_kernels.Pinned", sizeof(Pinned), delete_pinned);
    return entry_type && pinned_type ? PyModule_Create2(&definition, 3) : NULL;
}
