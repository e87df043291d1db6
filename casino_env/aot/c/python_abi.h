/* The part of Python's stable ABI (3.11 and later) that border.c needs, declared here so that cross-compiling needs no
   Python headers for the target. */
#ifndef CASINO_PYTHON_ABI_H
#define CASINO_PYTHON_ABI_H
#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define IMPORTED __declspec(dllimport)
#define EXPORTED __declspec(dllexport)
#else
#define IMPORTED
#define EXPORTED __attribute__((visibility("default")))
#endif

typedef intptr_t Py_ssize_t;
typedef struct Object {
    Py_ssize_t references;
    struct Object *type;
} PyObject;
typedef struct {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
} Py_buffer;
typedef struct {
    const char *name;
    void *function;
    int flags;
    const char *doc;
} PyMethodDef;
typedef struct {
    PyObject base;
    void *init;
    Py_ssize_t index;
    PyObject *copy;
    const char *name, *doc;
    Py_ssize_t size;
    PyMethodDef *methods;
    void *slots, *traverse, *clear, *free;
} PyModuleDef;
typedef struct {
    int slot;
    void *function;
} PyType_Slot;
typedef struct {
    const char *name;
    int basicsize, itemsize;
    unsigned int flags;
    PyType_Slot *slots;
} PyType_Spec;

enum { METH_O = 8, METH_FASTCALL = 0x80 };
enum { PyBUF_ND = 8, PyBUF_STRIDES = 0x18, PyBUF_C_CONTIGUOUS = 0x38 };
enum { Py_tp_alloc = 47, Py_tp_dealloc = 52, Py_tp_free = 74 };
enum { TPFLAGS_DEFAULT = 1 << 18, TPFLAGS_LONG = 1 << 24, TPFLAGS_TUPLE = 1 << 26 };

IMPORTED PyObject *PyModule_Create2(PyModuleDef *, int);
IMPORTED PyObject *PyType_FromSpec(PyType_Spec *);
IMPORTED unsigned long PyType_GetFlags(PyObject *);
IMPORTED void *PyType_GetSlot(PyObject *, int);
IMPORTED PyObject *PyCFunction_NewEx(PyMethodDef *, PyObject *, PyObject *);
IMPORTED int PyObject_GetBuffer(PyObject *, Py_buffer *, int);
IMPORTED void PyBuffer_Release(Py_buffer *);
IMPORTED Py_ssize_t PyTuple_Size(PyObject *);
IMPORTED PyObject *PyTuple_GetItem(PyObject *, Py_ssize_t);
IMPORTED PyObject *PyTuple_New(Py_ssize_t);
IMPORTED int PyTuple_SetItem(PyObject *, Py_ssize_t, PyObject *);
IMPORTED PyObject *PyNumber_Index(PyObject *);
IMPORTED PyObject *PyLong_FromLongLong(long long);
IMPORTED PyObject *PyLong_FromUnsignedLongLong(unsigned long long);
IMPORTED long long PyLong_AsLongLong(PyObject *);
IMPORTED unsigned long long PyLong_AsUnsignedLongLong(PyObject *);
IMPORTED PyObject *PyBool_FromLong(long);
IMPORTED PyObject *PyFloat_FromDouble(double);
IMPORTED double PyFloat_AsDouble(PyObject *);
IMPORTED const char *PyUnicode_AsUTF8AndSize(PyObject *, Py_ssize_t *);
IMPORTED PyObject *PyErr_Format(PyObject *, const char *, ...);
IMPORTED PyObject *PyErr_Occurred(void);
IMPORTED void *PyEval_SaveThread(void);
IMPORTED void PyEval_RestoreThread(void *);
IMPORTED void *PyMem_Malloc(size_t);
IMPORTED void PyMem_Free(void *);
IMPORTED void Py_IncRef(PyObject *);
IMPORTED void Py_DecRef(PyObject *);
IMPORTED extern PyObject *PyExc_TypeError, *PyExc_ValueError, *PyExc_RuntimeError, *PyExc_ImportError;
IMPORTED extern PyObject _Py_NoneStruct;
#endif
